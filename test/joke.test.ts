import { expect, it } from 'vitest'
import { identify } from '../shared/joke.ts'

it('gives a joke the same id for ever', () => {
  // Stored jokes are found by it: another value here means that every joke can be added once more.
  expect(identify({ joke: 'Why did the tomato blush?', punchline: 'It saw the salad dressing.' })).toBe(
    'WmM5OrJvE4rSCLremEDtCN',
  )
})

it('gives a joke the same id whatever invisible characters begin or end it', () => {
  const joke = { joke: 'Why?', punchline: '' }
  expect(identify({ ...joke, joke: '\u200b Why? \u200b' })).toBe(identify(joke))
})

it('tells lead-in and punchline apart', () => {
  expect(identify({ joke: 'a b', punchline: 'c' })).not.toBe(identify({ joke: 'a', punchline: 'b c' }))
})

it('tells punctuation apart', () => {
  expect(identify({ joke: 'Why?', punchline: '' })).not.toBe(identify({ joke: 'Why!', punchline: '' }))
})
