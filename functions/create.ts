/** POST /joke */
import { http, jsonBody, respondCreated } from '../shared/http.ts'
import { JokeInput } from '../shared/joke.ts'
import { logAdded } from '../shared/log.ts'
import { addJoke } from '../shared/store/jokes.ts'
import { validate } from '../shared/validate.ts'

export const handler = http()
  .use(jsonBody())
  .handler(async (event) => {
    const joke = await addJoke(validate(JokeInput, event.body), event.requestContext?.requestId)
    logAdded(joke.id, event)
    return respondCreated(event, joke)
  })
