import { h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { expect, it } from 'vitest'
import { Highlight } from '../web/highlight.tsx'

it.each([
  ['chick', 'Chicks, the chicken?', '[Chicks], the [chicken]?'],
  ["eleve l'ETE", "L'élève, l’été.", "L'[élève], [l’été]."],
  ['mail e-mail', '(e-mail) mail-man', '([e-mail]) [mail]-man'],
  ['👍', 'Well👍🏽done👍!', 'Well[👍🏽]done[👍]!'],
  ['ภาษา', 'ฉันรักภาษาไทย', 'ฉันรัก[ภาษา]ไทย'],
  ['🇷🇪', '🇬🇫🇷🇪', '🇬🇫[🇷🇪]'],
  ['e', 'e\u0301te\u0301', '[e\u0301te\u0301]'],
  ['c++', 'I speak C++.', 'I speak [C]++.'],
  ['!!', 'No!!', 'No!!'],
])('a search for %j marks what it finds: %s', (search, text, marked) => {
  const html = renderToString(h(Highlight, { text, search }))
  expect(html.replaceAll('<mark>', '[').replaceAll('</mark>', ']')).toBe(marked)
})
