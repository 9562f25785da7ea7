/** A global of swagger-ui-bundle.js. */
declare const SwaggerUIBundle: (options: object) => void

document.documentElement.classList.toggle('dark-mode', matchMedia('(prefers-color-scheme: dark)').matches)

/** Attributes that Swagger UI leaves out, or sets so that screen readers are misled. */
const ATTRIBUTES = [
  ['.examples-select-element', 'aria-label', 'Example'],
  ['tr[data-param-name] :is(select, textarea)', 'aria-label', 'Value'],
  ['textarea.body-param__text', 'aria-label', 'Request body'],
  ['.swagger-ui h3', 'aria-level', '2'],
  ['.swagger-ui h4', 'aria-level', '3'],
  ['.swagger-ui h5', 'aria-level', '4'],
  ['.information-container', 'role', 'banner'],
  // It is no landmark.
  ['.responses-table[role=region]', 'role', 'table'],
] as const
new MutationObserver(() => {
  for (const [selector, name, value] of ATTRIBUTES)
    for (const element of document.querySelectorAll(selector)) element.setAttribute(name, value)
}).observe(document.body, { childList: true, subtree: true })

SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  tryItOutEnabled: true,
  syntaxHighlight: false,
  // Each operation shows its own schemas.
  defaultModelsExpandDepth: -1,
})
