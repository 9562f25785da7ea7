/** The interactive reference. */

/** Comes with its own bundle, without a module. */
declare const SwaggerUIBundle: (options: object) => void

SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  // Its default sends the document to another host.
  validatorUrl: null,
})
