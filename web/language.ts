/** The language of a joke, so that screen readers pronounce it and fonts fit it. */
import type { Category } from '../shared/joke.ts'

const FRENCH: Category = 'French humour'

/** Scripts of one language each. Persian, Urdu and Yiddish have letters that Arabic and Hebrew lack. */
const LANGUAGES = {
  ar: /^(?!.*[پچژگکیےٹڈڑں]).*\p{sc=Arabic}/su,
  el: /\p{sc=Greek}/u,
  he: /^(?!.*[\u05F0-\u05F2]).*\p{sc=Hebrew}/su,
  hy: /\p{sc=Armenian}/u,
  ja: /[\p{sc=Hiragana}\p{sc=Katakana}]/u,
  ka: /\p{sc=Georgian}/u,
  ko: /\p{sc=Hangul}/u,
  th: /\p{sc=Thai}/u,
}

/** Returns the language that a joke's category or script tells. An empty text says that the language is unknown. */
export function languageOf(text: string, category: string): string {
  if (/\p{sc=Latin}/u.test(text)) return category === FRENCH ? 'fr' : ''
  return Object.entries(LANGUAGES).find(([, script]) => script.test(text))?.[0] ?? ''
}
