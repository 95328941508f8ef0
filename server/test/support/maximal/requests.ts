import { CHAT, MORE_CHAT, OTHER_CHAT } from './chat-bodies.ts'
import { MESSAGES, MORE_MESSAGES, OTHER_MESSAGES } from './messages-bodies.ts'
import { MORE_RESPONSES, OTHER_RESPONSES, RESPONSES } from './responses-bodies.ts'

/** For each API of clients and each model: a path, and a valid body with as many fields as that provider can get. */
export const MAXIMAL_REQUESTS = [
  ...(['scripted', 'claude', 'gpt'] as const).flatMap((model) => [
    { api: 'chat completions', model, path: '/v1/chat/completions', body: { model, ...CHAT, ...MORE_CHAT[model] } },
    { api: 'Messages', model, path: '/v1/messages', body: { model, ...MESSAGES, ...MORE_MESSAGES[model] } },
    { api: 'Responses', model, path: '/v1/responses', body: { model, ...RESPONSES, ...MORE_RESPONSES[model] } },
  ]),
  {
    api: 'chat completions, other forms,',
    model: 'scripted',
    path: '/v1/chat/completions',
    body: { model: 'scripted', ...OTHER_CHAT },
  },
  { api: 'Messages, other forms,', model: 'claude', path: '/v1/messages', body: { model: 'claude', ...OTHER_MESSAGES } },
  { api: 'Responses, other forms,', model: 'gpt', path: '/v1/responses', body: { model: 'gpt', ...OTHER_RESPONSES } },
  {
    api: 'Embeddings',
    model: 'scripted',
    path: '/v1/embeddings',
    body: {
      model: 'scripted',
      input: ['Good morning', 'x'],
      user: 'reader',
      dimensions: 3,
      encoding_format: 'float',
      x_vendor: { hint: 'x' },
    },
  },
]
