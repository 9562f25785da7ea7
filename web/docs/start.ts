/** Shows the OpenAPI document with Swagger UI. */

/** A global of swagger-ui-bundle.js. */
declare const SwaggerUIBundle: (options: object) => void

const dark = matchMedia('(prefers-color-scheme: dark)')
const setTheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', setTheme)
setTheme()

new MutationObserver(addNames).observe(document.body, { childList: true, subtree: true })

SwaggerUIBundle({
  spec: await loadDocument(),
  dom_id: '#reference',
  tryItOutEnabled: true,
  displayRequestDuration: true,
})

/** The part of the OpenAPI document that this script changes. */
interface OpenApiDocument {
  paths: { '/thumbsUp/{id}': { post: { parameters: [{ example: string }] } } }
}

/** Loads the OpenAPI document. If the service answers, the example to upvote is a joke that exists. */
async function loadDocument(): Promise<OpenApiDocument> {
  const [openApi, jokes] = await Promise.all([
    load<OpenApiDocument>('/openapi.json'),
    load<{ id: string }[]>('/joke?numberofJokes=1').catch(() => []),
  ])
  // The service answers an error with an object.
  const [joke] = Array.isArray(jokes) ? jokes : []
  if (joke !== undefined) openApi.paths['/thumbsUp/{id}'].post.parameters[0].example = joke.id
  return openApi
}

async function load<Body>(path: string): Promise<Body> {
  const response = await fetch(path)
  return response.json()
}

/** Adds the accessible names that Swagger UI leaves out. */
function addNames(): void {
  const names: Record<string, (element: Element) => string> = {
    '.information-container': () => 'About',
    '.scheme-container': () => 'Server',
    '#servers': () => 'Server',
    '.examples-select-element': () => 'Example',
    'tr[data-param-name] :is(select, textarea)': (element) =>
      `${element.closest('[data-param-name]')?.getAttribute('data-param-name')}`,
    'textarea.body-param__text': () => 'Request body',
    '.responses-table[role]': (element) => `Responses to ${element.closest('.opblock')?.id.split('-').at(-1)}`,
  }
  for (const [selector, nameOf] of Object.entries(names))
    for (const element of document.querySelectorAll(selector)) element.setAttribute('aria-label', nameOf(element))
  for (const part of document.querySelectorAll('.information-container, .scheme-container'))
    part.setAttribute('role', 'region')
  // Swagger UI skips heading level 2, so each deeper heading moves up.
  for (const heading of document.querySelectorAll('main :is(h3, h4, h5)'))
    heading.setAttribute('aria-level', String(Number(heading.tagName.slice(1)) - 1))
}
