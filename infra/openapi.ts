/** The OpenAPI document, made of the schemas and the routes. Run by itself, it writes `openapi.json`. */
import { writeFileSync } from 'node:fs'
import { toJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { identify, Joke, JokeId, JokeInput } from '../shared/joke.ts'
import { DEFAULT_COUNT, ListingQuery, MAX_IDS } from '../shared/listing.ts'
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
      version: '1.0.0',
      description:
        'Keeps a collection of jokes: add, list, search and upvote them. What goes beyond the published interface is marked as an addition to it.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'Where this document comes from' }],
    security: [],
    tags: [{ name: 'Jokes', description: 'Add, list, search and upvote jokes.' }],
    paths,
    components: {
      schemas: {
        Joke: described(Joke, 'A joke as the service keeps it.'),
        JokeInput: described(JokeInput, 'What is sent to add a joke: a joke with a punchline, or a pun without.'),
        Problem: described(Problem, 'What went wrong, after RFC 9457.'),
        InvalidProblem: described(InvalidProblem, 'What is wrong with what was sent.'),
        DuplicateProblem: described(DuplicateProblem, 'There is an equal joke already.'),
        GatewayMessage: described(GatewayMessage, 'An answer of API Gateway itself, from in front of the service.'),
      },
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
    },
  }
}

const problemMembers = {
  type: v.pipe(v.literal('about:blank'), v.description('The status tells all there is to tell.')),
  title: v.pipe(v.string(), v.description("The status's phrase.")),
  status: v.pipe(v.number(), v.integer(), v.description('The status once more.')),
  detail: v.pipe(v.string(), v.description('One sentence that tells a person what to do.')),
}
const Problem = v.object(problemMembers)
const InvalidProblem = v.object({
  ...problemMembers,
  errors: v.pipe(
    v.array(
      v.object({
        field: v.pipe(v.string(), v.description('The field or parameter; `body` for the whole.')),
        detail: v.pipe(v.string(), v.description('What is accepted there.')),
      }),
    ),
    v.minLength(1),
    v.description('Every fault there is.'),
  ),
})
const DuplicateProblem = v.object({
  ...problemMembers,
  id: v.pipe(JokeId, v.description('The joke that is there already.')),
})
const GatewayMessage = v.object({ message: v.string() })

const TEXT = {
  joke: 'Why did the comma leave the full stop?',
  punchline: 'It only wanted a break, not the end of everything.',
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

const COMMON_FAILURES = {
  429: {
    description: 'Too many requests; try again after a second.',
    content: gatewayContent('Too Many Requests'),
  },
  500: {
    description: 'A fault of the service.',
    content: {
      ...problemContent('Problem', {
        type: 'about:blank',
        title: 'Internal Server Error',
        status: 500,
        detail: 'The service has failed; trying again may help.',
      }),
      ...gatewayContent('Internal Server Error'),
    },
  },
}

const operations: Record<FunctionName, object> = {
  Create: {
    operationId: 'addJoke',
    summary: 'Add a joke',
    description:
      'Equal jokes, with the same lead-in and punchline whatever the letter case and white space, are kept once.',
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
            pun: { summary: 'A pun without', value: { joke: PUN.joke, category: PUN.category } },
          },
        },
      },
    },
    responses: {
      201: {
        description: 'The joke as added.',
        content: {
          'application/vnd.json': {
            schema: reference('Joke'),
            examples: {
              joke: { summary: 'A joke with a punchline', value: JOKE },
              pun: { summary: 'A pun without', value: { ...JOKE, ...PUN, id: identify(PUN) } },
            },
          },
        },
      },
      400: invalid('joke', 'must not be empty.'),
      409: {
        description: 'An equal joke is there already.',
        content: problemContent('DuplicateProblem', {
          type: 'about:blank',
          title: 'Conflict',
          status: 409,
          detail: 'An equal joke is there already.',
          id: JOKE.id,
        }),
      },
      413: { description: 'The body is too long.', content: gatewayContent('Request Entity Too Large') },
      ...COMMON_FAILURES,
      503: unavailable('The joke may or may not have been added: send it again to be sure.'),
    },
  },
  List: {
    operationId: 'listJokes',
    summary: 'List and search jokes',
    description: 'The newest first, unless asked otherwise.',
    tags: ['Jokes'],
    parameters: listingParameters(),
    responses: {
      200: {
        description: 'The jokes found, be it none.',
        headers: { Link: { $ref: '#/components/headers/Link' } },
        content: {
          'application/json': {
            schema: { type: 'array', items: reference('Joke') },
            examples: {
              some: { summary: 'Jokes', value: [JOKE] },
              none: { summary: 'Nothing found', value: [] },
            },
          },
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
      },
      400: { description: 'The path is not properly encoded.', content: gatewayContent('Bad Request') },
      404: {
        description: 'No joke has this id.',
        content: problemContent('Problem', {
          type: 'about:blank',
          title: 'Not Found',
          status: 404,
          detail: 'No joke has this id; a listing tells the ids there are.',
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
    numberofJokes: { schema: { type: 'integer', minimum: 1, default: DEFAULT_COUNT } },
    id: { schema: { type: 'array', items: { type: 'string' }, maxItems: MAX_IDS }, style: 'form', explode: false },
  }
  // Together they make a request, as which a reference may offer them: so none for what is not accepted beside others.
  const examples: Partial<Record<keyof ListingQuery, unknown>> = {
    searchString: 'comma',
    numberofJokes: 10,
    category: 'Word game',
    sortBy: 'thumbsUp',
    sortOrder: 'desc',
  }
  const { properties } = jsonSchema(ListingQuery)
  return v
    .parse(v.array(v.tuple([v.keyof(ListingQuery), v.looseObject({})])), Object.entries(properties ?? {}))
    .map(([name, { description, ...schema }]) => ({
      name,
      in: 'query',
      description,
      schema,
      ...typed[name],
      ...(name in examples && { example: examples[name] }),
    }))
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
    description: 'The database could not be reached, was too slow or refused for load.',
    headers: { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } },
    content: {
      ...problemContent('Problem', { type: 'about:blank', title: 'Service Unavailable', status: 503, detail }),
      ...gatewayContent('Service Unavailable'),
    },
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

function described(schema: v.GenericSchema, description: string) {
  return { description, ...jsonSchema(schema) }
}

function jsonSchema(schema: v.GenericSchema) {
  // Checks that JSON Schema cannot express are told in the descriptions.
  const { $schema: _, ...rest } = toJsonSchema(schema, {
    target: 'draft-2020-12',
    typeMode: 'input',
    errorMode: 'ignore',
  })
  return rest
}

if (import.meta.main) writeFileSync('openapi.json', `${JSON.stringify(openApi(), undefined, 2)}\n`)
