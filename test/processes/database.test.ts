/** `npm run database`. */
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { expect, it } from 'vitest'
import { listen } from '../support/listen.ts'
import { end, firstOutput, resultOf, run, temporaryFolder } from '../support/process.ts'

it('serves the tables to this machine only', async () => {
  const { child, port } = await start()
  await expect(tablesAt(`http://127.0.0.2:${port}`)).rejects.toThrow('ECONNREFUSED')
  expect(await tablesAt(`http://127.0.0.1:${port}`)).toEqual(['JokeWords', 'Jokes'])
  expect(await end(child, 'SIGINT')).toBe(0)
})

it('serves the tables to other machines, such as containers, if HOST says so', async () => {
  const { child, port } = await start({ HOST: '0.0.0.0' })
  expect(await tablesAt(`http://${addressOfThisMachine()}:${port}`)).toEqual(['JokeWords', 'Jokes'])
  expect(await end(child)).toBe(0)
})

it('refuses the requests of web pages', async () => {
  const { port } = await start()
  const status = async (headers: Record<string, string>) => {
    const target = { 'x-amz-target': 'DynamoDB_20120810.ListTables', 'content-type': 'application/x-amz-json-1.0' }
    const authorization =
      'AWS4-HMAC-SHA256 Credential=a/20260101/local/dynamodb/aws4_request, SignedHeaders=a, Signature=a'
    const sent = { ...target, authorization, 'x-amz-date': '20260101T000000Z', ...headers }
    const post = request({ host: '127.0.0.1', port, method: 'POST', headers: sent }).end('{}')
    const [response] = await once(post, 'response')
    response.resume()
    return response.statusCode
  }
  for (const name of ['127.0.0.1', 'localhost', 'host.docker.internal'])
    expect(await status({ host: `${name}:${port}` })).toBe(200)
  for (const headers of [{ origin: 'http://127.0.0.1:3000' }, { origin: 'null' }, { host: `rebound.example:${port}` }])
    expect(await status(headers)).toBe(403)
})

it('says so if its folder keeps jokes in another form', async () => {
  const folder = join(temporaryFolder(), 'data')
  const { child } = await start({ DATA_DIR: folder })
  await end(child)
  const message = expect.stringMatching(/in the form of another version of this service\. Start that/)
  for (const change of [(file: string) => writeFileSync(file, '2'), rmSync]) {
    change(join(folder, 'FORMAT'))
    expect(await resultOf(runDatabase({ DATA_DIR: folder }))).toEqual([1, '', message])
  }
})

it('gets its folder from one process only, if two start at once', async () => {
  const folder = join(temporaryFolder(), 'data')
  const two = [runDatabase({ DATA_DIR: folder }), runDatabase({ DATA_DIR: folder })]
  const outputs = await Promise.all(two.map((child) => firstOutput(child).catch((error: Error) => error.message)))
  expect(outputs.toSorted()).toEqual([
    expect.stringContaining('The database listens on'),
    expect.stringContaining('is already in use'),
  ])
})

it('explains that its port is in use', async () => {
  const { server, port } = await listen()
  const message = `Port ${port} is already in use. Stop what uses it, or set PORT to another port.\n`
  expect(await resultOf(runDatabase({ PORT: String(port) }))).toEqual([1, '', message])
  server.close()
})

async function start(environment: Record<string, string> = {}) {
  const child = runDatabase(environment)
  const [, port] =
    /^The database listens on http:\/\/127\.0\.0\.1:(\d+), with the tables Jokes and JokeWords, and keeps them in /.exec(
      await firstOutput(child),
    ) ?? []
  return { child, port }
}

function runDatabase(environment: Record<string, string>) {
  return run({ DATA_DIR: join(temporaryFolder(), 'data'), ...environment }, 'infra/local/databaseMain.ts')
}

async function tablesAt(endpoint: string) {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  const client = new DynamoDBClient({ region: 'local', endpoint, credentials, maxAttempts: 1 })
  const { TableNames } = await client.send(new ListTablesCommand()).finally(() => client.destroy())
  return TableNames
}

/** An address by which other machines reach this one, or else its own loopback address. */
function addressOfThisMachine(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  return addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1'
}
