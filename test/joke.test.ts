import { expect, it } from 'vitest'
import { identify } from '../shared/joke.ts'

it('the id of a joke never changes', () => {
  // Stored jokes keep their ids. With another value here, each of them could be added again.
  expect(identify({ joke: 'Why did the tomato blush?', punchline: 'It saw the salad dressing.' })).toBe(
    'WmM5OrJvE4rSCLremEDtCN',
  )
})

it('invisible characters at either end of a joke do not change its id', () => {
  const joke = { joke: 'Why?', punchline: '' }
  expect(identify({ ...joke, joke: '\u200b Why? \u200b' })).toBe(identify(joke))
})

it('jokes that only divide lead-in and punchline differently have different ids', () => {
  expect(identify({ joke: 'a b', punchline: 'c' })).not.toBe(identify({ joke: 'a', punchline: 'b c' }))
})

it('jokes that differ in punctuation have different ids', () => {
  expect(identify({ joke: 'Why?', punchline: '' })).not.toBe(identify({ joke: 'Why!', punchline: '' }))
})
