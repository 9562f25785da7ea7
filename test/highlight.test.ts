import { h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { expect, it } from 'vitest'
import { Highlight } from '../web/highlight.tsx'
import { languageOf } from '../web/language.ts'

const ENGLAND = '🏴\u{E0067}\u{E0062}\u{E007F}'

it.each([
  ['chick', 'Chicks, the chicken?', '[Chicks], the [chicken]?'],
  ["eleve l'ETE", "L'élève, l’été.", "L'[élève], [l’été]."],
  ["aujourd'hui", "Qu'aujourd'hui!", "Qu'[aujourd'hui]!"],
  ['mail e-mail', '(e-mail) mail-man', '([e-mail]) [mail]-man'],
  ['hat', 'What a hat', 'What a [hat]'],
  ['👍', 'Well👍🏽done', 'Well[👍🏽]done'],
  ['ภาษา', 'ฉันรักภาษาไทย', 'ฉันรัก[ภาษา]ไทย'],
  ['🇷🇪', '🇬🇫🇷🇪', '🇬🇫[🇷🇪]'],
  [ENGLAND, `a${ENGLAND}b`, `a[${ENGLAND}]b`],
  ['e', 'e\u0301te\u0301', '[e\u0301te\u0301]'],
  ['c++', 'I speak C++.', 'I speak [C]++.'],
  ['!!', 'No!!', 'No!!'],
])('a search for %j marks what it finds: %s', (search, text, marked) => {
  const html = renderToString(h(Highlight, { text, search }))
  expect(html.replaceAll('<mark>', '[').replaceAll('</mark>', ']')).toBe(marked)
})

it.each([
  ['Quelle heure est-il ?', 'French humour', 'fr'],
  ['Quelle heure est-il ?', 'Classic', ''],
  ['לאן?', 'Classic', 'he'],
  ['לאן, John?', 'Classic', ''],
  ['\u05F0אס?', 'Classic', ''],
  ['من هناك؟', 'Classic', 'ar'],
  ['گربه', 'Classic', ''],
  ['何故ですか？', 'School', 'ja'],
  ['為什麼?', 'School', ''],
  ['왜요?', 'French humour', 'ko'],
  ['42?', 'Classic', ''],
])('the joke %j of the category %s has the language %j', (text, category, language) => {
  expect(languageOf(text, category)).toBe(language)
})
