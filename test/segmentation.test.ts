/**
 * Words of languages without spaces between words, as ICU splits them. Commands use the ICU of the project's Node.js,
 * functions that of Lambda's Node.js. If an update changes a line below, searches miss jokes indexed before it until
 * `reindex --all` has run.
 */
import { expect, it } from 'vitest'
import { wordsOf } from '../shared/words.ts'

it.each([
  ['Thai', 'ไก่ข้ามถนนทำไม', 'ไก่ ข้าม ถนน ทำไม'],
  ['Thai', 'ตากลมนั่งตากลม', 'ตากลม นั่ง ตากลม'],
  ['Thai', 'มะม่วงสุกแล้วอร่อยมาก', 'มะม่วง สุก แล้ว อร่อย มาก'],
  ['Lao', 'ຂ້ອຍຮັກພາສາລາວ', 'ຂ້ອຍ ຮັກ ພາສາ ລາວ'],
  ['Lao', 'ໄກ່ຂ້າມຖະໜົນ', 'ໄກ່ ຂ້າມ ຖະຫ ນົນ'],
  ['Chinese', '研究生命的起源', '研究 生命 的 起源'],
  ['Chinese', '南京市长江大桥', '南京市 长江 大 桥'],
  ['Chinese', '為什麼雞要過馬路', '為什麼 雞 要 過 馬路'],
  ['Japanese', 'すもももももももものうち', 'すもも も も も も も もの うち'],
  ['Japanese', '外国人参政権を考える', '外国 人参 政権 を 考える'],
])('%s text keeps its segmentation: %s', (_, text, words) => {
  expect([...wordsOf(text)].join(' ')).toBe(words)
})
