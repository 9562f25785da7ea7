/** The loops in docs/interface.md that get all pages. */
import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { afterAll, expect, it } from 'vitest'
import { numberedJokes } from '../support/numberedJoke.ts'
import { openService } from '../support/service.ts'

const [, loops = ''] = readFileSync('docs/interface.md', 'utf8').split('To get all pages')
/** The loops ask for pages of 10, so these take three. */
const texts = numberedJokes(25)

const service = await openService()
const { word } = service
const jokes = await service.add(...texts.map(({ joke }) => ({ joke, punchline: word, category: 'School' })))
afterAll(service.stop)

it.for([
  { language: 'js', command: process.execPath, option: '--eval', needs: process.execPath },
  { language: 'python', command: 'python3', option: '-c', needs: 'python3' },
])('the documented $language loop gets each joke once', async ({ language, command, option, needs }, { skip }) => {
  skip(spawnSync(needs, ['--version']).error !== undefined, `${needs} is not installed`)
  const [, code = ''] = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(loops) ?? []
  const loop = code.replace('http://localhost:3000', service.url).replace('?', `?searchString=${word}&`)
  const { stdout } = await promisify(execFile)(command, [option, loop])
  expect(stdout.match(/(?<="id":")[^"]+/g)?.sort()).toEqual(jokes.map(({ id }) => id).sort())
})
