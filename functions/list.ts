/** GET /joke */
import { http, respondPage } from '../shared/http.ts'
import { parseListing } from '../shared/listing.ts'
import { listJokes } from '../shared/store/jokes.ts'

export const handler = http().handler(async (event) => {
  const listing = parseListing(event.queryStringParameters ?? {})
  const { jokes, next } = await listJokes(listing)
  return respondPage(event, listing, jokes, next)
})
