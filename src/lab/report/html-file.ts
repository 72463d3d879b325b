import { readFileSync } from 'node:fs';
import { html, Markup } from './markup.js';

const STYLE = new Markup(readFileSync(new URL('page.css', import.meta.url), 'utf8'));

/** A report as one file, without fonts, scripts or pictures from other files. */
export function htmlFile(title: string, body: Markup): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Lockstock: ${title}</title>
        <style>
          ${STYLE}
        </style>
      </head>
      <body>
        ${body}
      </body>
    </html> `.source;
}
