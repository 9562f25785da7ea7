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

it('serves the tables to this machine only', async () => {
  const { child, port } = await start()
  await expect(tablesAt(`http://127.0.0.2:${port}`)).rejects.toThrow('ECONNREFUSED')
  expect(await tablesAt(`http://127.0.0.1:${port}`)).toEqual(['JokeWords', 'Jokes'])
  child.kill('SIGINT')
  expect(await once(child, 'exit')).toEqual([0, null])
})

it('serves them to other machines, as containers are, where HOST says so', async () => {
  const { child, port } = await start({ HOST: '0.0.0.0' })
  expect(await tablesAt(`http://${addressOfThisMachine()}:${port}`)).toEqual(['JokeWords', 'Jokes'])
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
})

it('says in plain English that its port is in use', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = Object(other.address())
  const child = run({ PORT: String(port) })
  const [message, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  expect([exitCode, message]).toEqual([
    1,
    `Port ${port} is already in use. Stop what uses it, or set PORT to another port.\n`,
  ])
  other.close()
})

async function start(environment: Record<string, string> = {}) {
  const child = run(environment)
  const [line] = await once(child.stdout, 'data')
  const [, port] =
    /^The database listens on http:\/\/127\.0\.0\.1:(\d+), with the tables Jokes and JokeWords, and keeps them in /.exec(
      line,
    ) ?? []
  return { child, port }
}

function run(environment: Record<string, string>) {
  return spawn(process.execPath, ['infra/local/databaseMain.ts'], {
    env: { PATH: process.env.PATH, PORT: '0', DATA_DIR: join(folder, 'data'), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

async function tablesAt(endpoint: string) {
  const client = new DynamoDBClient({
    region: 'local',
    endpoint,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  })
  try {
    return (await client.send(new ListTablesCommand())).TableNames
  } finally {
    client.destroy()
  }
}

/** One that others reach it by, where it has one. */
function addressOfThisMachine(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  return addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1'
}
