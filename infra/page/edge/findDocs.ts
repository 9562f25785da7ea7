/** Finds the files of the page. S3 has no index documents for folders, and responds with 403 if there is no file. */

declare const NOT_FOUND: { contentType: string; body: string }

export function handler(event: { request: { uri: string } }) {
  const request = event.request
  if (request.uri === '/docs' || request.uri === '/docs/') request.uri = '/docs/index.html'
  if (request.uri === '/' || request.uri.indexOf('.') >= 0) return request
  return { statusCode: 404, headers: { 'content-type': { value: NOT_FOUND.contentType } }, body: NOT_FOUND.body }
}
