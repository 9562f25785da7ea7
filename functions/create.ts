/** POST /joke */
import { http, jsonBody, respond } from '../shared/http.ts'
import { NewJoke } from '../shared/joke.ts'
import { logAdded } from '../shared/log.ts'
import { addJoke } from '../shared/store/jokes.ts'
import { validate } from '../shared/validate.ts'

export const handler = http()
  .use(jsonBody())
  .handler(async (event) => {
    const joke = await addJoke(validate(NewJoke, event.body, 'body'))
    logAdded(joke.id, event)
    return respond(201, joke, { 'content-type': 'application/vnd.json' })
  })
