/** A global of swagger-ui-bundle.js. */
declare const SwaggerUIBundle: (options: object) => void

document.documentElement.classList.toggle('dark-mode', matchMedia('(prefers-color-scheme: dark)').matches)

/** Accessible names that Swagger UI leaves out. */
const NAMES = {
  '.examples-select-element': 'Example',
  'tr[data-param-name] :is(select, textarea)': 'Value',
  'textarea.body-param__text': 'Request body',
}
new MutationObserver(() => {
  for (const [selector, name] of Object.entries(NAMES))
    for (const element of document.querySelectorAll(selector)) element.setAttribute('aria-label', name)
}).observe(document.body, { childList: true, subtree: true })

SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  tryItOutEnabled: true,
  syntaxHighlight: false,
  // Each operation shows its own schemas.
  defaultModelsExpandDepth: -1,
})
