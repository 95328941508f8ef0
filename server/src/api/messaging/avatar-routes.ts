import type { FastifyInstance } from 'fastify'
import { avatarSvg } from '../../domains/messaging/people/avatar.ts'

/** Default avatars. They need no token, because browsers send none for images and the picture depends only on the path. */
export function avatarRoutes(app: FastifyInstance): void {
  const schema = {
    operationId: 'getAvatar',
    summary: 'Get the default avatar of a contact or group',
    tags: ['messaging'],
    response: { 200: { description: 'An SVG image.', content: { 'image/svg+xml': { schema: { type: 'string' } } } } },
  }
  app.get<{ Params: { name: string } }>('/v1/avatars/:name', { schema }, async (request, reply) =>
    reply
      .headers({
        'cache-control': 'public, max-age=86400, immutable',
        'content-security-policy': "default-src 'none'; sandbox",
      })
      .type('image/svg+xml; charset=utf-8')
      .send(avatarSvg(request.params.name)),
  )
}
