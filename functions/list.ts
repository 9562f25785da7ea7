/** GET /joke */
import { http, respond } from '../shared/http.ts'
import { nextPage, parseListing } from '../shared/listing.ts'
import { listJokes } from '../shared/store/jokes.ts'

export const handler = http().handler(async ({ queryStringParameters }) => {
  const listing = parseListing(queryStringParameters ?? {})
  const { jokes, next } = await listJokes(listing)
  return respond(200, jokes, next && { link: `<${nextPage(listing, next)}>; rel="next"` })
})
