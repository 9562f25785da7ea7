/** What is found inside of nested errors. */
import { expect, it } from 'vitest'
import { codeOf, messageOf } from '../shared/causes.ts'

const withCode = (message: string, code: unknown, cause?: unknown) =>
  Object.assign(new Error(message, { cause }), { code })

const refused = withCode('connect ECONNREFUSED', 'ECONNREFUSED')

it.each([
  ['an error without one', new Error('no'), undefined],
  ['an error', refused, 'ECONNREFUSED'],
  ['an error whose code is a number', withCode('no', 7), '7'],
  ['a cause', new Error('fetch failed', { cause: refused }), 'ECONNREFUSED'],
  [
    'the innermost cause that has one',
    withCode('outer', 'OUTER', withCode('inner', 'INNER', new Error('no'))),
    'INNER',
  ],
  ['an error whose cause has none', withCode('outer', 'OUTER', new Error('no')), 'OUTER'],
  ['no error', { code: 'ECONNREFUSED' }, undefined],
])('the code of %s', (_, error, code) => {
  expect(codeOf(error)).toBe(code)
})

it.each([
  ['an error', refused, 'connect ECONNREFUSED'],
  [
    'the innermost cause',
    new Error('outer', { cause: new Error('fetch failed', { cause: refused }) }),
    refused.message,
  ],
  [
    'several errors at once',
    new AggregateError([refused, new Error('no', { cause: 'why' })]),
    `${refused.message}, why`,
  ],
  ['no error', 'a text', 'a text'],
])('the message of %s', (_, error, message) => {
  expect(messageOf(error)).toBe(message)
})
