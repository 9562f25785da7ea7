/** `npm run database` as its user meets it. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { expect, it } from 'vitest'
import { run, temporaryFolder } from '../support/process.ts'

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
  const child = runDatabase({ PORT: String(port) })
  const [message, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  expect([exitCode, message]).toEqual([
    1,
    `Port ${port} is already in use. Stop what uses it, or set PORT to another port.\n`,
  ])
  other.close()
})

async function start(environment: Record<string, string> = {}) {
  const child = runDatabase(environment)
  const [line] = await once(child.stdout, 'data')
  const [, port] =
    /^The database listens on http:\/\/127\.0\.0\.1:(\d+), with the tables Jokes and JokeWords, and keeps them in /.exec(
      line,
    ) ?? []
  return { child, port }
}

function runDatabase(environment: Record<string, string>) {
  return run({ DATA_DIR: join(temporaryFolder(), 'data'), ...environment }, 'infra/local/databaseMain.ts')
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
