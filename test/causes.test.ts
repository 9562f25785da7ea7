/** The codes and messages of nested errors. */
import { expect, it } from 'vitest'
import { codeOf, messageOf } from '../shared/causes.ts'

const error = (message: string, members: object = {}) => Object.assign(new Error(message), members)
const refused = error('connect ECONNREFUSED', { code: 'ECONNREFUSED' })
const inner = error('inner', { code: 'INNER', cause: error('no') })

it.each<[string, error: unknown, code: string | undefined, message: string]>([
  ['an error without a code', error('no'), undefined, 'no'],
  ['an error whose code is a number', error('no', { code: 7 }), '7', 'no'],
  ['the cause of an error', error('fetch failed', { cause: refused }), 'ECONNREFUSED', refused.message],
  ['the innermost cause with a code', error('outer', { code: 'OUTER', cause: inner }), 'INNER', 'no'],
  ['an error whose cause has no code', error('outer', { code: 'OUTER', cause: error('no') }), 'OUTER', 'no'],
  ['many errors', new AggregateError([refused, error('no', { cause: 'why' })]), undefined, `${refused.message}, why`],
  ['a thrown string', 'a text', undefined, 'a text'],
])('codeOf and messageOf read %s', (_, error, code, message) => {
  expect([codeOf(error), messageOf(error)]).toEqual([code, message])
})
