/** The OpenAPI document, made of the schemas and the routes. Run directly, it writes `openapi.json`. */
import { writeFileSync } from 'node:fs'
import { toJsonSchemaDefs } from '@valibot/to-json-schema'
import manifest from '../package.json' with { type: 'json' }
import { MAX_BODY_KIB, MAX_COUNT } from '../shared/clientLimits.ts'
import { PROBLEMS, type ProblemCode, ProblemError } from '../shared/errors.ts'
import { problemOf } from '../shared/http/problems.ts'
import { identify, type Joke, JokeInput } from '../shared/joke.ts'
import { parseListing } from '../shared/listing.ts'
import { NEXT_LINK, nextLink } from '../shared/nextLink.ts'
import { validate } from '../shared/validate.ts'
import { listingParameters } from './openapiParameters.ts'
import { CONVERSION, reference, schemas } from './openapiSchemas.ts'
import { GATEWAY_MESSAGES, OPERATION_NAMES, type OperationName, ROUTES } from './routes.ts'

export function openApi() {
  const paths: Record<string, object> = {}
  for (const name of OPERATION_NAMES) {
    const { path, method } = ROUTES[name]
    // Listing comes before adding, because most clients only read.
    paths[path] = { [method.toLowerCase()]: { tags: [TAG.name], ...operations[name] }, ...paths[path] }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Joke Service',
      version: manifest.version,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The server that this document comes from' }],
    security: [],
    tags: [TAG],
    paths,
    components: {
      schemas: toJsonSchemaDefs(schemas, CONVERSION),
      headers: {
        Link: {
          description:
            'Addition to the contract. The URL of the next page, relative to that of the request, with `rel="next"` (RFC 8288). Only the last page has no `Link`.',
          schema: { type: 'string', pattern: NEXT_LINK.source },
          example: nextLink(parseListing({}), 'WyJq'),
        },
        Location: {
          description: 'Addition to the contract. The URL of the new joke, relative to that of the request.',
          schema: { type: 'string', pattern: '^joke\\?id=' },
          example: `joke?id=${JOKE.id}`,
        },
        TotalCount: {
          description: 'Addition to the contract. Number of jokes that match, over all pages. Absent with `id`.',
          schema: { type: 'integer', minimum: 0 },
          example: 312,
        },
        RetryAfter: {
          description: 'Seconds to wait before you retry.',
          schema: { type: 'integer', minimum: 1 },
          example: 1,
        },
      },
    },
  }
}

const TAG = { name: 'Jokes', description: 'List, search, add and upvote jokes.' }

const DESCRIPTION = `List, search, add and upvote jokes. Paths, parameters and types come from the published "Simple Joke API" example. What we added to that contract is marked.

- **Authentication**: none. You need no key and no account.
- **Retries**: you can retry any request after a 429, and listing and adding at any time. We store a joke only once, so a second attempt to add it gets 409, with the joke's \`id\` unless it waits for approval or was removed. After any other failure, retry an upvote only if the \`code\` is \`not-counted\`. Each 200 is one counted upvote.
- **Errors**: let your program look at \`code\`, whose values are stable. \`detail\` is a sentence for people, and we may reword it. If you report a problem, quote the \`requestId\`: operators can find it in their logs.`

/** A joke that the sample jokes lack, so readers of the reference can add it. */
const TEXT = { joke: 'Why do programmers prefer dark mode?', punchline: 'Because light attracts bugs.' }
const JOKE: Joke = {
  id: identify(TEXT),
  ...TEXT,
  category: 'Word game',
  thumbsUp: 0,
  thumbsDown: 0,
  dateAdded: '2026-05-04T08:30:00.000Z',
}
const PUN = { joke: 'I used to be a banker, but I lost interest.', category: 'Classic' }

/** The form of API Gateway's ids. */
const REQUEST_ID = 'PqRsTgHiDoEEJ8g='

const ADDED = { schema: reference('Joke'), example: JOKE }

const UNAVAILABLE = "We couldn't reach the database, or it was too slow or too busy."

const COMMON_FAILURES = {
  429: gatewayError(429, 'Too many requests. Retry after a second.'),
  ...failure('bug', 'Something went wrong on our side.'),
}

const operations: Record<OperationName, object> = {
  List: {
    operationId: 'list',
    summary: 'List and search jokes',
    description:
      'Lists the newest jokes first, unless `sortBy` says otherwise. We remove whitespace around a value, and an empty value counts as absent. Only `categories` and `id` may be repeated. If there are more jokes, the `Link` header has the URL of the next page. The last page has no `Link`. Every other page is full, unless the next joke would take it over 200,000 bytes.',
    parameters: listingParameters(),
    responses: {
      200: {
        description: 'The jokes found. The array may be empty.',
        headers: {
          Link: { $ref: '#/components/headers/Link' },
          'X-Total-Count': { $ref: '#/components/headers/TotalCount' },
        },
        content: {
          'application/json': {
            schema: { type: 'array', items: reference('Joke'), maxItems: MAX_COUNT },
            example: [JOKE],
          },
          'text/plain': {
            schema: {
              type: 'string',
              description:
                'Addition to the contract, for requests whose `Accept` header prefers it. Each setup is one line, and so is its punchline, if it has one. A space replaces whitespace within them. An empty line separates two jokes.',
            },
            example: `${JOKE.joke}\n${JOKE.punchline}\n\n${PUN.joke}\n`,
          },
        },
      },
      ...invalid(() => parseListing({ numberofJokes: '0' })),
      ...COMMON_FAILURES,
      ...failure('unavailable', UNAVAILABLE, { mayRetry: true }),
    },
  },
  Create: {
    operationId: 'create',
    summary: 'Add a joke',
    description: `We store a joke only once. Two jokes are equal if setup and punchline, read as one text, have the same words, symbols and emoji in the same order. Capitals, accents, whitespace and punctuation don't count, except \`# % & @ * / \\ ^\`. We remove whitespace around a text, and don't parse a body of more than ${MAX_BODY_KIB} KiB.`,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: reference('JokeInput'),
          examples: {
            joke: { summary: 'A joke with a punchline', value: { ...TEXT, category: JOKE.category } },
            pun: { summary: 'A pun without one', value: PUN },
          },
        },
      },
    },
    responses: {
      201: {
        description:
          'The joke as it was added. Its type is `application/vnd.json`, or `application/json` if the `Accept` header gives that more weight. If operators approve jokes first, the joke waits until they do. While it waits, no listing has it, and an upvote gets 404.',
        headers: { Location: { $ref: '#/components/headers/Location' } },
        // Many generated clients ask for only the first type, and read only that.
        content: { 'application/json': ADDED, 'application/vnd.json': ADDED },
      },
      ...invalid(() => validate(JokeInput, { ...PUN, joke: ' ' })),
      ...refusal('DuplicateProblem', new ProblemError('duplicate', { id: JOKE.id }), {
        description:
          'We have an equal joke already. The response has its `id`, unless that joke waits for approval or operators removed it.',
      }),
      ...failure('too-large', `The body has more than ${MAX_BODY_KIB} KiB.`),
      ...COMMON_FAILURES,
      ...failure('unknown-outcome', UNAVAILABLE, { mayRetry: true }),
    },
  },
  ThumbsUp: {
    operationId: 'thumbsUp',
    summary: 'Upvote a joke',
    description: 'Adds one to the upvotes of a joke. No two responses show the same count.',
    parameters: [
      {
        name: 'id',
        in: 'path',
        required: true,
        description: 'Identifier of the joke.',
        schema: { type: 'string' },
        example: JOKE.id,
      },
    ],
    responses: {
      200: {
        description: 'The joke right after this upvote.',
        content: { 'application/json': { schema: reference('Joke'), example: { ...JOKE, thumbsUp: 1 } } },
      },
      400: gatewayError(400, 'The path is not properly encoded.'),
      ...refusal('Problem', new ProblemError('unknown-joke'), {
        description: 'No joke has this id, or the joke waits for approval or was removed.',
      }),
      413: gatewayError(413, 'The body is too long.'),
      ...COMMON_FAILURES,
      ...failure('not-counted', UNAVAILABLE, { mayRetry: true }),
    },
  },
}

/** @param check throws the error of the example */
function invalid(check: () => unknown) {
  const { detail: description } = PROBLEMS.invalid
  try {
    check()
  } catch (error) {
    if (error instanceof ProblemError) return refusal('InvalidProblem', error, { description })
  }
  throw new Error('The example of an invalid request is valid.')
}

/** The response to a request that the service refuses, under its status. */
function refusal(schema: string, error: ProblemError, response: object) {
  return { [PROBLEMS[error.code].status]: { ...response, content: problemContent(schema, error) } }
}

/** The response of the service, or of API Gateway in its place, to a request that fails, under its status. */
function failure(code: ProblemCode, description: string, { mayRetry } = { mayRetry: false }) {
  const { status } = PROBLEMS[code]
  const content = {
    ...problemContent('AnyProblem', new ProblemError(code)),
    'application/json': { schema: reference('AnyProblem'), example: { message: GATEWAY_MESSAGES[status] } },
  }
  const headers = { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }
  return { [status]: { description, ...(mayRetry && { headers }), content } }
}

/** The content of a problem document. Its example is what the service answers to the error. */
function problemContent(schema: string, error: ProblemError) {
  return {
    'application/problem+json': { schema: reference(schema), example: JSON.parse(problemOf(error, REQUEST_ID).body) },
  }
}

function gatewayError(status: number, description: string) {
  const example = { message: GATEWAY_MESSAGES[status] }
  return { description, content: { 'application/json': { schema: reference('GatewayMessage'), example } } }
}

if (import.meta.main) writeFileSync('openapi.json', `${JSON.stringify(openApi(), undefined, 2)}\n`)
