/** The interactive reference. */

/** Comes with its own bundle, without a module. */
declare const SwaggerUIBundle: (options: object) => void

const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()

new MutationObserver(addNames).observe(document.body, { childList: true, subtree: true })

SwaggerUIBundle({
  spec: await loadDocument(),
  dom_id: '#reference',
  tryItOutEnabled: true,
  displayRequestDuration: true,
  // Its default sends the document to another host.
  validatorUrl: null,
})

/** The document, with a joke to upvote that exists, where the service tells one. */
async function loadDocument(): Promise<object> {
  const [document, jokes] = await Promise.all([load('/openapi.json'), load('/joke?numberofJokes=1').catch(() => [])])
  const [joke] = Array.isArray(jokes) ? jokes : []
  if (joke !== undefined) document.paths['/thumbsUp/{id}'].post.parameters[0].example = joke.id
  return document
}

async function load(path: string) {
  const answer = await fetch(path)
  return answer.json()
}

/** Tells those who do not see the page what its parts are, where Swagger UI does not. */
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
  // Its first is of level 1, the next one of level 3.
  for (const heading of document.querySelectorAll('main :is(h3, h4, h5)'))
    heading.setAttribute('aria-level', String(Number(heading.tagName.slice(1)) - 1))
}
