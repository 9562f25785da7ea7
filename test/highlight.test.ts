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
  ['email', 'e-mail, e.mail', '[e-mail], e.mail'],
  ['l’été x', "l'été x.l-e-t-e", "[l'été] [x].[l-e-t-e]"],
  ['ガム', 'ｶﾞﾑとガム', '[ｶﾞﾑ]と[ガム]'],
  ['👩', '👨‍👩‍👧👨', '[👨‍👩‍👧]👨'],
  ['中', `中文 ${'中'.repeat(201)}`, `[中]文 ${'中'.repeat(201)}`],
])('a search for %j marks what it finds: %s', (search, text, marked) => {
  const html = renderToString(h(Highlight, { text, search }))
  expect(html.replaceAll('<mark>', '[').replaceAll('</mark>', ']')).toBe(marked)
})

// Whoever marks by trying all parts of a text needs minutes for these pages.
it.each([
  ['matches in many places', `${'a-'.repeat(90)}b-c-d-e-f-g`, 'a b c d e f g', 96],
  ['nearly matches in many places', 'ア'.repeat(200), `${'ア'.repeat(99)}イ。${'ア'.repeat(96)}ウ。ア`, 200],
])('a page of texts that a search %s is marked', (_, run, search, marks) => {
  const text = [run, run, run, run, run].join(' ')
  for (let card = 0; card < 50; card++) {
    const html = renderToString(h(Highlight, { text, search }))
    expect(html.match(/<mark>/g)).toHaveLength(5 * marks)
  }
})
