export type Language = 'ts' | 'lua' | 'sql';
export type TokenKind = 'comment' | 'string' | 'number' | 'keyword' | 'call' | 'mark' | 'plain';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const words = (list: string) => list.trim().split(/\s+/);

const KEYWORDS: Readonly<Record<Language, ReadonlySet<string>>> = {
  ts: new Set(
    words(`abstract as async await break case catch class const constructor continue default else export extends
      false finally for from function if implements import in instanceof interface let new null of private
      protected public readonly return static super switch this throw true try type typeof undefined void while`),
  ),
  lua: new Set(
    words(`and break do else elseif end false for function if in local nil not or repeat return then true until
      while`),
  ),
  sql: new Set(
    words(`AND AS ASC BY COMMIT COUNT DELETE DESC DO DUPLICATE EXISTS FOR FROM GET_LOCK IN INSERT INTO IS KEY LIMIT
      NOT NULL ON OR ORDER RELEASE_LOCK ROLLBACK SELECT SET SHARE START TRANSACTION UPDATE VALUES WHERE`),
  ),
};

const COMMENT: Readonly<Record<Language, string>> = {
  ts: String.raw`\/\/[^\n]*|\/\*[\s\S]*?\*\/`,
  lua: String.raw`--[^\n]*`,
  sql: String.raw`--[^\n]*`,
};
const STRING = String.raw`'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|` + '`(?:\\\\.|[^`\\\\])*`';
const NUMBER = String.raw`\b\d[\d_.]*\b`;
const MARK = String.raw`@\w+`;
const WORD = String.raw`[A-Za-z_$][\w$]*`;

const PATTERNS = Object.fromEntries(
  Object.entries(COMMENT).map(([language, comment]) => [
    language,
    new RegExp(`(${comment})|(${STRING})|(${NUMBER})|(${MARK})|(${WORD})`, 'g'),
  ]),
);

/** Splits a source into tokens for colouring. It is not a full parser. */
export function tokenize(text: string, language: Language): Token[] {
  const tokens: Token[] = [];
  const pattern = PATTERNS[language] ?? /$^/g;
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > end) tokens.push({ kind: 'plain', text: text.slice(end, match.index) });
    const [found, comment, string, number, mark] = match;
    end = match.index + found.length;
    const kind = comment
      ? 'comment'
      : string
        ? 'string'
        : number
          ? 'number'
          : mark
            ? 'mark'
            : wordKind(found, text[end], language);
    tokens.push({ kind, text: found });
  }
  if (end < text.length) tokens.push({ kind: 'plain', text: text.slice(end) });
  return tokens;
}

function wordKind(word: string, after: string | undefined, language: Language): TokenKind {
  if (KEYWORDS[language].has(word)) return 'keyword';
  return after === '(' ? 'call' : 'plain';
}

/** The same, line by line: a comment or string over several lines is split at the line ends. */
export function tokenizeLines(text: string, language: Language): Token[][] {
  const lines: Token[][] = [[]];
  for (const { kind, text: piece } of tokenize(text.replace(/\n$/, ''), language)) {
    for (const [index, part] of piece.split('\n').entries()) {
      if (index > 0) lines.push([]);
      if (part !== '') lines.at(-1)?.push({ kind, text: part });
    }
  }
  return lines;
}

export function languageOf(path: string): Language {
  if (path.endsWith('.lua')) return 'lua';
  return path.endsWith('.sql') ? 'sql' : 'ts';
}
