import { en, type Texts } from '../texts/en.js';
import { zh } from '../texts/zh.js';
import { recall, remember } from './storage.js';
import { Store, useStore } from './store.js';

export const LANGUAGES = {
  en: { name: 'English', short: 'EN', tag: 'en', texts: en },
  zh: { name: '简体中文', short: '中文', tag: 'zh-CN', texts: zh },
} as const satisfies Record<string, { name: string; short: string; tag: string; texts: Texts }>;

export type Language = keyof typeof LANGUAGES;

const isLanguage = (text: string | null): text is Language => text !== null && text in LANGUAGES;

function preferred(): Language {
  const chosen = recall('language');
  if (isLanguage(chosen)) return chosen;
  const known = navigator.languages.map((tag) => tag.slice(0, 2)).find(isLanguage);
  return known ?? 'en';
}

export const language = new Store<Language>(preferred());

export function chooseLanguage(chosen: Language): void {
  remember('language', chosen);
  language.set(chosen);
}

function apply(): void {
  document.documentElement.lang = LANGUAGES[language.value].tag;
}
language.watch(apply);
apply();

export const useTexts = (): Texts => LANGUAGES[useStore(language)].texts;
