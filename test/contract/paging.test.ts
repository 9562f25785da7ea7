/** The loop in docs/interface.md that gets all pages. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { afterAll, expect, it } from 'vitest'
import { numberedJokes } from '../support/numberedJoke.ts'
import { openService } from '../support/service.ts'

const [, section = ''] = readFileSync('docs/interface.md', 'utf8').split('To get all pages')
/** The loop asks for pages of 10, so these take three. */
const texts = numberedJokes(25)

const service = await openService()
const { word } = service
const jokes = await service.add(...texts.map(({ joke }) => ({ joke, punchline: word, category: 'School' })))
afterAll(service.stop)

it('the documented loop gets each joke once', async () => {
  const [, code = ''] = /```js\n(.*?)```/s.exec(section) ?? []
  const loop = code.replace('http://localhost:3000', service.url).replace('?', `?searchString=${word}&`)
  const { stdout } = await promisify(execFile)(process.execPath, ['--eval', loop])
  expect(stdout.match(/(?<="id":")[^"]+/g)?.sort()).toEqual(jokes.map(({ id }) => id).sort())
})
