/** The deployed functions: their bundles, environment and permissions, from the template of `npm run synth`. */
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { Template } from 'aws-cdk-lib/assertions'
import { afterAll, afterEach, expect, it, vi } from 'vitest'
import { configOf, createTable, startDynalite } from '../../infra/local/localDatabase.ts'
import { type Handlers, NO_CONTEXT, startServer } from '../../infra/local/server.ts'
import { FUNCTION_NAMES, type FunctionName, mapFunctions, type RouteName } from '../../infra/routes.ts'
import { identify } from '../../shared/joke.ts'
import { SECURITY_HEADERS } from '../../web/site.ts'
import create from '../events/create.json' with { type: 'json' }
import { startProxy } from '../support/faults.ts'
import { temporaryFolder } from '../support/process.ts'
import { readable } from '../support/templates.ts'

/** Requests to each route that make each call to the database, after an event that adds the joke, and their statuses. */
const REQUESTS: Record<RouteName, Record<string, number>> = {
  Create: { 'POST /joke': 409 },
  List: { 'GET /joke': 200, 'GET /joke?id=ID': 200 },
  ThumbsUp: { 'POST /thumbsUp/ID': 200 },
  Page: { 'GET /?id=ID': 200 },
  File: { 'GET /docs.html': 200 },
  ListHead: { 'HEAD /joke': 200 },
  PageHead: { 'HEAD /': 200 },
  FileHead: { 'HEAD /docs.html': 200 },
}
const STATUSES: Record<string, number> = Object.assign({}, ...Object.values(REQUESTS))

const folder = temporaryFolder(afterAll)
const functions = await synthesize()
const database = await startDynalite()
const proxy = await startProxy(database.endpoint)
await createTable(functions.List.environment.JOKES_TABLE, configOf(database.endpoint))

/** The database calls of each function, as `<action> <table or index>`. */
const used = mapFunctions(() => new Set<string>())
const handlers = mapFunctions((name) => async (event: object) => {
  proxy.plan = (action, { TableName, IndexName }) => {
    used[name].add(`dynamodb:${action} ${TableName}${IndexName ? `/index/${IndexName}` : ''}`)
    return undefined
  }
  const handle = await load(name, proxy.endpoint)
  return handle(event)
})
const server = await startServer(handlers, 0, () => {})
const id = identify(JSON.parse(create.body))
const answers: Record<string, { status: number; headers: object; text: string }> = {}
const logged = await linesOf(async () => {
  // An event that a person writes may lack the rest.
  expect(await handlers.Create({ headers: null, body: null })).toMatchObject({ statusCode: 400 })
  expect(await handlers.List({ headers: null, queryStringParameters: null })).toMatchObject({ statusCode: 200 })
  expect(await handlers.Create({ ...create })).toMatchObject({ statusCode: 201 })
  for (const sent of Object.keys(STATUSES)) {
    const [method = '', path] = sent.replace('ID', id).split(' ')
    const init = { method, headers: { 'accept-encoding': 'gzip' }, ...(method === 'POST' && { body: create.body }) }
    // On a busy machine, the page may open without its joke at first.
    await vi.waitFor(async () => {
      const response = await fetch(`http://127.0.0.1:${server.port}${path}`, init)
      const { status, headers } = response
      answers[sent] = { status, headers: Object.fromEntries(headers), text: await response.text() }
      if (sent.includes('ID')) expect(answers[sent].text).toContain(id)
    }, 30_000)
  }
})
await server.stop()
proxy.stop()
database.stop()
afterEach(() => void vi.unstubAllEnvs())

it('a bundled function is one small file, and has tags for the bill', () => {
  const tags = { service: 'joke-service', stage: 'prod' }
  for (const [name, { bundle, ...properties }] of Object.entries(functions)) {
    expect(properties.tags).toEqual(Object.entries(tags).map(([Key, Value]) => ({ Key, Value })))
    expect(readdirSync(bundle)).toEqual(name === 'Page' ? ['index.mjs', 'site.json'] : ['index.mjs'])
    // A larger file takes longer to load. This is a few per cent more than the largest one today.
    expect(statSync(join(bundle, 'index.mjs')).size, bundle).toBeLessThan(700_000)
  }
})

it('the bundled functions answer, and the page has its files and the preview of a joke', () => {
  const statuses = Object.entries(answers).map(([request, { status }]) => [request, status])
  expect(Object.fromEntries(statuses)).toEqual(STATUSES)
  const encoding = { 'content-encoding': 'gzip' }
  expect(answers['GET /docs.html']).toMatchObject({ headers: { ...encoding, ...SECURITY_HEADERS } })
  expect(answers['GET /docs.html']?.text).toContain('<title>API reference')
  expect(answers['GET /?id=ID']?.text).toMatch(new RegExp(`og:url" content="https://127.0.0.1:\\d+/\\?id=${id}"`))
})

it('only the log of a new joke names the client', () => {
  const client = { forwardedFor: '203.0.113.7', userAgent: expect.any(String) }
  const usual = logged.filter((line) => Object(line).route !== 'GET /')
  expect(usual).toEqual([{ added: id, apiRequestId: 'PqRsTgHiDoEEJ8g=', ...client }])
})

it('the log of an error leads to the line of the code that failed', async () => {
  const list = await load('List', 'http://127.0.0.1:1')
  const [line] = await linesOf(async () => {
    const headers = { 'retry-after': '1' }
    expect(await list({ ...create, routeKey: 'GET /joke' })).toMatchObject({ statusCode: 503, headers })
  })
  const cause = expect.objectContaining({ code: 'ECONNREFUSED' })
  const error = expect.objectContaining({ name: 'ProblemError', code: 'unavailable' })
  expect(line).toMatchObject({ route: 'GET /joke', apiRequestId: 'PqRsTgHiDoEEJ8g=', error, cause })
  const [, row] = /index\.mjs\?\d+:(\d+):/.exec(Object(line).error.stack) ?? []
  const code = readFileSync(join(functions.List.bundle, 'index.mjs'), 'utf8').split('\n')
  expect(code[Number(row) - 1]).toContain('new ProblemError(')
})

it.each(FUNCTION_NAMES)('the permissions of %s are exactly its database calls, and writing its log', (name) => {
  const log = [`logs:CreateLogStream ${name}Log`, `logs:PutLogEvents ${name}Log`]
  expect(functions[name].rights.toSorted()).toEqual([...used[name], ...log].toSorted())
})

/** Runs `cdk synth` for production, and reads the functions. Other tests validate the template. */
async function synthesize() {
  const args = ['synth', '--quiet', '--no-validation', '-c', 'stage=prod', '--output', folder]
  await promisify(execFile)(process.execPath, ['node_modules/.bin/cdk', ...args])
  const template = Template.fromJSON(JSON.parse(readFileSync(join(folder, 'JokeService.template.json'), 'utf8')))
  const { resources } = readable(template)
  return mapFunctions((name) => {
    const { Properties, Metadata } = resources[name]
    const { Statement } = resources[`${name}RoleDefaultPolicy`].Properties.PolicyDocument
    return {
      bundle: join(folder, Metadata['aws:asset:path']),
      handler: `${Properties.Handler}`,
      tags: Properties.Tags,
      environment: Properties.Environment.Variables,
      rights: Statement.flatMap(rightsIn),
    }
  })
}

/** The permissions of a statement, as `<action> <resource>`. */
function rightsIn({ Action, Resource }: { Action: string | string[]; Resource: string }): string[] {
  return [Action].flat().map((action) => `${action} ${Resource.replace('.Arn', '')}`)
}

/** Imports the bundle of a function, with a database at this URL. Returns its handler. */
async function load(name: FunctionName, endpoint: string) {
  const { bundle, handler, environment } = functions[name]
  const local = { AWS_REGION: 'local', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' }
  const variables = { ...local, ...environment, AWS_ENDPOINT_URL_DYNAMODB: endpoint }
  for (const [variable, value] of Object.entries(variables)) vi.stubEnv(variable, `${value}`)
  const [file, exported = ''] = handler.split('.')
  const module = await import(`${pathToFileURL(join(bundle, `${file}.mjs`))}?${new URL(endpoint).port}`)
  // Lambda rejects handlers with a third parameter, a callback.
  expect(module[exported].length).toBeLessThan(3)
  return (event: object): ReturnType<Handlers[FunctionName]> => module[exported](event, NO_CONTEXT)
}

/** Returns what the console logs while `work` runs. */
async function linesOf(work: () => Promise<unknown>): Promise<unknown[]> {
  const methods = (['info', 'warn', 'error'] as const).map((method) => vi.spyOn(console, method).mockReturnValue())
  await work()
  const logged = methods.flatMap(({ mock }) => mock.calls.flat())
  for (const method of methods) method.mockRestore()
  return logged
}
