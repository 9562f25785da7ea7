/** `npm run database` as its user meets it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { afterEach, beforeEach, expect, it } from 'vitest'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'database-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

it('serves the tables to other machines, as containers are, until it is stopped', async () => {
  const child = start('0')
  const [line] = await once(child.stdout, 'data')
  const port = /^The database listens on port (\d+), with the tables Jokes and JokeWords, and keeps them in /.exec(line)
  const client = new DynamoDBClient({
    region: 'local',
    endpoint: `http://${addressOfThisMachine()}:${port?.[1]}`,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  })
  const { TableNames } = await client.send(new ListTablesCommand())
  expect(TableNames).toEqual(['JokeWords', 'Jokes'])
  client.destroy()
  child.kill('SIGINT')
  expect(await once(child, 'exit')).toEqual([0, null])
})

it('says in a sentence that its port is in use', async () => {
  const other = createServer().listen(0, '0.0.0.0')
  await once(other, 'listening')
  const address = other.address()
  expect(await failure(String(Object(address).port))).toMatch(
    /^Port \d+ cannot be had: .*EADDRINUSE.*\. Set PORT to another\.\n$/,
  )
  other.close()
})

it('says in a sentence that PORT is no port', async () => {
  expect(await failure('dynamo')).toBe('PORT must be a port number, not dynamo.\n')
})

function start(port: string) {
  return spawn(process.execPath, ['infra/local/databaseMain.ts'], {
    env: { PATH: process.env.PATH, PORT: port, DATA_DIR: join(folder, 'data') },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** What it says on standard error when it does not start. */
async function failure(port: string): Promise<string> {
  const child = start(port)
  const [message, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  expect(exitCode).toBe(1)
  return message
}

/** One that others reach it by, where it has one. */
function addressOfThisMachine(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  return addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1'
}
