/** What Lambda's Node.js runtime does with a bundle: loads it by the name of its handler, and hands it events as JSON. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [bundle = '', handlerName = ''] = process.argv.slice(2)
const [file, name = ''] = handlerName.split('.')
const { [name]: handler } = await import(pathToFileURL(join(bundle, `${file}.mjs`)).href)

// Messages between processes go as JSON, like Lambda's events and answers.
process.on('message', async (event) => {
  process.send?.(await handler(event, { awsRequestId: 'test', getRemainingTimeInMillis: () => 10_000 }))
})
process.send?.(process.version)
