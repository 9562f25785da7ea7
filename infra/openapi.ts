/** The OpenAPI document, made of the schemas and the routes. Run by itself, it writes `openapi.json`. */
import { writeFileSync } from 'node:fs'
import { type ConversionConfig, toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { identify, Joke, JokeId, JokeInput } from '../shared/joke.ts'
import { ListingQuery, MAX_COUNT, MAX_IDS } from '../shared/listing.ts'
import { FUNCTION_NAMES, type FunctionName, ROUTES } from './routes.ts'

/** Describes the service as OpenAPI 3.1. */
export function openApi() {
  const paths: Record<string, object> = {}
  for (const name of FUNCTION_NAMES) {
    const { path, method } = ROUTES[name]
    paths[path] = { ...paths[path], [method.toLowerCase()]: operations[name] }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Joke Service',
      version: '2.0.0',
      description:
        'Keeps a collection of jokes: add, list, search and upvote them. What goes beyond the published interface is marked as an addition to it.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'Where this document comes from' }],
    security: [],
    tags: [{ name: 'Jokes', description: 'Add, list, search and upvote jokes.' }],
    paths,
    components: {
      schemas: toJsonSchemaDefs(schemas, CONVERSION),
      headers: {
        Link: {
          description:
            'Addition to the interface. Absent on the last page; otherwise the address of the next one, relative to the address of this one, with `rel="next"` (RFC 8288).',
          schema: { type: 'string', pattern: '^<\\?[^>]+>; rel="next"$' },
          example: '<?numberofJokes=25&sortBy=dateAdded&sortOrder=desc&cursor=WyJq>; rel="next"',
        },
        RetryAfter: {
          description: 'Seconds to wait before trying again.',
          schema: { type: 'integer', minimum: 1 },
          example: 1,
        },
      },
      links: {
        Upvote: {
          operationId: 'thumbUp',
          parameters: { id: '$response.body#/id' },
          description: 'Upvotes this joke.',
        },
        Show: {
          operationId: 'listJokes',
          parameters: { id: '$response.body#/id' },
          description: 'Lists just this joke, with its counts as they are by then.',
        },
        UpvoteFirst: {
          operationId: 'thumbUp',
          parameters: { id: '$response.body#/0/id' },
          description: 'Upvotes the first of these jokes.',
        },
        ShowFirst: {
          operationId: 'listJokes',
          parameters: { id: '$response.body#/0/id' },
          description: 'Lists just the first of these jokes.',
        },
      },
    },
  }
}

const problemMembers = {
  type: v.pipe(v.literal('about:blank'), v.description('The status tells all there is to tell.')),
  title: v.pipe(v.string(), v.description("The status's phrase.")),
  status: v.pipe(v.number(), v.integer(), v.description('The status once more.')),
  detail: v.pipe(v.string(), v.description('One sentence that tells a person what to do.')),
}
const Fault = v.pipe(
  v.object({
    field: v.pipe(v.string(), v.description('The field or parameter; `body` for the whole.')),
    detail: v.pipe(v.string(), v.description('What is accepted there.')),
  }),
  v.description('One thing that is wrong with what was sent.'),
)
const message = v.pipe(v.string(), v.description("API Gateway's words."))

/** Generated clients know the schemas by these names. */
const schemas = {
  Joke: v.pipe(Joke, v.description('A joke as the service keeps it.')),
  JokeInput: v.pipe(
    JokeInput,
    v.description('What is sent to add a joke: a joke with a punchline, or a pun without one.'),
  ),
  Category: Joke.entries.category,
  Problem: v.pipe(v.object(problemMembers), v.description('What went wrong, as a problem document (RFC 9457).')),
  InvalidProblem: v.pipe(
    v.object({
      ...problemMembers,
      errors: v.pipe(v.array(Fault), v.minLength(1), v.description('Everything that is wrong.')),
    }),
    v.description('What is wrong with what was sent.'),
  ),
  Fault,
  DuplicateProblem: v.pipe(
    v.object({
      ...problemMembers,
      id: v.optional(
        v.pipe(JokeId, v.description('The joke that exists already; absent where the operators have removed it.')),
      ),
    }),
    v.description('An equal joke exists already.'),
  ),
  // One schema, because many generated clients know only one for each status.
  Failure: v.pipe(
    v.object({ ...v.partial(v.object(problemMembers)).entries, message: v.optional(message) }),
    v.description('What failed: a problem document of the service, or a message of API Gateway in front of it.'),
  ),
  GatewayMessage: v.pipe(
    v.object({ message }),
    v.description('An answer of API Gateway, which stands in front of the service.'),
  ),
}

/** How schemas become JSON Schema. What that cannot express is told in the descriptions. */
const CONVERSION: ConversionConfig = {
  target: 'draft-2020-12',
  typeMode: 'input',
  errorMode: 'ignore',
  overrideRef: ({ referenceId }) => reference(referenceId).$ref,
  // Generated clients send defaults, even beside parameters that exclude them, and treat such fields as required.
  overrideSchema: ({ jsonSchema: { default: _, ...schema } }) =>
    typeof schema.const === 'string' ? { type: 'string', ...schema } : schema,
  // Otherwise they would count in 32 bits.
  overrideAction: ({ valibotAction, jsonSchema }) =>
    valibotAction.type === 'safe_integer' ? { ...jsonSchema, format: 'int64' } : undefined,
}

/** None of the sample jokes, so that it can be added from the reference. */
const TEXT = {
  joke: 'Why do programmers prefer dark mode?',
  punchline: 'Because light attracts bugs.',
}
const JOKE: Joke = {
  id: identify(TEXT),
  ...TEXT,
  category: 'Word game',
  thumbsUp: 0,
  thumbsDown: 0,
  dateAdded: '2026-05-04T08:30:00.000Z',
}
const PUN: JokeInput = {
  joke: 'I used to be a banker, but I lost interest.',
  punchline: '',
  category: 'Classic',
}

const ADDED = {
  schema: reference('Joke'),
  examples: {
    joke: { summary: 'A joke with a punchline', value: JOKE },
    pun: { summary: 'A pun without one', value: { ...JOKE, ...PUN, id: identify(PUN) } },
  },
}

/** What can follow on an answer that holds a joke's id. */
const LINKS = {
  upvote: { $ref: '#/components/links/Upvote' },
  show: { $ref: '#/components/links/Show' },
}

const COMMON_FAILURES = {
  429: {
    description: 'Too many requests; try again after a second.',
    content: gatewayContent('Too Many Requests'),
  },
  500: {
    description: 'A fault of the service.',
    content: failureContent(500, 'Internal Server Error', 'Something went wrong on our side. Please try again.'),
  },
}

const operations: Record<FunctionName, object> = {
  Create: {
    operationId: 'addJoke',
    summary: 'Add a joke',
    description:
      'Equal jokes, with the same lead-in and punchline whatever the letter case, white space and invisible characters, are kept once. White space at both ends is dropped. A body over 64 kB is not accepted.',
    tags: ['Jokes'],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: reference('JokeInput'),
          examples: {
            joke: {
              summary: 'A joke with a punchline',
              value: { ...TEXT, category: JOKE.category },
            },
            pun: { summary: 'A pun without one', value: { joke: PUN.joke, category: PUN.category } },
          },
        },
      },
    },
    responses: {
      201: {
        description:
          'The joke as added: as `application/vnd.json`, or as `application/json` where the `Accept` header takes only that.',
        // Many generated clients read, and ask for, the first only.
        content: { 'application/json': ADDED, 'application/vnd.json': ADDED },
        links: LINKS,
      },
      400: invalid('joke', 'must not be empty.'),
      409: {
        description: 'An equal joke exists already, or was removed by the operators.',
        content: problemContent('DuplicateProblem', {
          type: 'about:blank',
          title: 'Conflict',
          status: 409,
          detail: 'This joke already exists.',
          id: JOKE.id,
        }),
        links: LINKS,
      },
      413: { description: 'The body is too long.', content: gatewayContent('Request Entity Too Large') },
      ...COMMON_FAILURES,
      503: unavailable('The joke may or may not have been added: send it again to be sure.'),
    },
  },
  List: {
    operationId: 'listJokes',
    summary: 'List and search jokes',
    description:
      'The newest first, unless asked otherwise. Names of parameters match in any letter case, and an empty value counts as absent. Where there are more jokes, the `Link` header leads to the next page.',
    tags: ['Jokes'],
    parameters: listingParameters(),
    responses: {
      200: {
        description: 'The jokes found, perhaps none.',
        headers: { Link: { $ref: '#/components/headers/Link' } },
        content: {
          'application/json': {
            schema: { type: 'array', items: reference('Joke'), maxItems: MAX_COUNT },
            examples: {
              some: { summary: 'Jokes', value: [JOKE] },
              none: { summary: 'Nothing found', value: [] },
            },
          },
          'text/plain': {
            schema: {
              type: 'string',
              description:
                'Addition to the interface, where `Accept` prefers it: lead-ins, each with its punchline on the next line if it has one, and an empty line between jokes.',
            },
            example: `${JOKE.joke}\n${JOKE.punchline}\n\n${PUN.joke}`,
          },
        },
        links: {
          upvoteFirst: { $ref: '#/components/links/UpvoteFirst' },
          showFirst: { $ref: '#/components/links/ShowFirst' },
        },
      },
      400: invalid('numberofJokes', 'must be a whole number of at least 1.'),
      ...COMMON_FAILURES,
      503: unavailable('The jokes could not be read just now: try again.'),
    },
  },
  ThumbsUp: {
    operationId: 'thumbUp',
    summary: 'Upvote a joke',
    description: 'Raises its count of upvotes by one.',
    tags: ['Jokes'],
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
        description: 'The joke as it is right after.',
        content: {
          'application/json': {
            schema: reference('Joke'),
            examples: { upvoted: { summary: 'The first upvote', value: { ...JOKE, thumbsUp: 1 } } },
          },
        },
        links: LINKS,
      },
      400: { description: 'The path is not properly encoded.', content: gatewayContent('Bad Request') },
      404: {
        description: 'No joke has this id, or the operators have removed it.',
        content: problemContent('Problem', {
          type: 'about:blank',
          title: 'Not Found',
          status: 404,
          detail: 'No joke has this id. GET /joke lists the existing ones.',
        }),
      },
      413: { description: 'The body is too long.', content: gatewayContent('Request Entity Too Large') },
      ...COMMON_FAILURES,
      503: unavailable('The upvote may or may not have been counted.'),
    },
  },
}

/** The listing's parameters, with the type that clients know where the schema knows only its text. */
function listingParameters(): object[] {
  const typed: Record<string, object> = {
    numberofJokes: { schema: { type: 'integer', minimum: 1 } },
    id: { schema: { type: 'array', items: { type: 'string' }, maxItems: MAX_IDS }, style: 'form', explode: false },
  }
  const { properties = {} } = toJsonSchema(ListingQuery, CONVERSION)
  return Object.entries(ListingQuery.entries).map(([name, parameter]) => {
    const { description, ...schema } = Object(properties[name])
    const absent = v.getDefault(parameter)
    return {
      name,
      in: 'query',
      description: absent ? `${description} When absent: ${absent}.` : description,
      schema,
      ...typed[name],
    }
  })
}

function invalid(field: string, detail: string) {
  return {
    description: 'What was sent is not accepted.',
    content: problemContent('InvalidProblem', {
      type: 'about:blank',
      title: 'Bad Request',
      status: 400,
      detail: `${field} ${detail}`,
      errors: [{ field, detail }],
    }),
  }
}

function unavailable(detail: string) {
  return {
    description: 'The database could not be reached, was too slow or throttled.',
    headers: { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } },
    content: failureContent(503, 'Service Unavailable', detail),
  }
}

/** What comes from the service, or from API Gateway where the service does not answer it. */
function failureContent(status: number, title: string, detail: string) {
  return {
    ...problemContent('Failure', { type: 'about:blank', title, status, detail }),
    'application/json': { schema: reference('Failure'), example: { message: title } },
  }
}

function problemContent(schema: string, example: object) {
  return { 'application/problem+json': { schema: reference(schema), example } }
}

function gatewayContent(message: string) {
  return { 'application/json': { schema: reference('GatewayMessage'), example: { message } } }
}

function reference(schema: string) {
  return { $ref: `#/components/schemas/${schema}` }
}

if (import.meta.main) writeFileSync('openapi.json', `${JSON.stringify(openApi(), undefined, 2)}\n`)
