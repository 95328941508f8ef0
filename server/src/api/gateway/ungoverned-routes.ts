import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sendError } from '../kit/error-responses.ts'

/** Paths of the OpenAI API that carry content past the pipeline; the gateway does not serve them. */
const UNGOVERNED = [
  ...['completions', 'images', 'audio', 'files', 'uploads', 'batches', 'moderations', 'realtime', 'videos', 'vector_stores'],
  ...['assistants', 'threads', 'fine_tuning', 'containers', 'evals'],
  ...['responses/compact', 'responses/input_tokens'],
]

const MESSAGE =
  'The gateway does not govern this API yet. It serves chat/completions, responses, messages, embeddings, models, knowledge/search and memory.'

const refuse = async (_request: FastifyRequest, reply: FastifyReply) => sendError(reply, 'NOT_FOUND', { message: MESSAGE })

/** 404 that says which endpoints there are (GW-OTHER-1). */
export function ungovernedRoutes(app: FastifyInstance): void {
  for (const name of UNGOVERNED) {
    for (const url of [`/v1/${name}`, `/v1/${name}/*`]) {
      // Before the body is read: files and sound come in forms, which the gateway does not read.
      app.all(url, { schema: { hide: true }, onRequest: refuse }, refuse)
    }
  }
}
