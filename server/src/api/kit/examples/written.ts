interface Written {
  readonly request?: unknown
  readonly response?: unknown
  /** The response with `stream: true`. */
  readonly events?: string
}

const AUDIT_ID = 'aud_01m3x8k5v7fqt9w2c4n6h0r1sz'
const GOVERNANCE = {
  audit_id: AUDIT_ID,
  decision: { verdict: 'allow', transforms: ['redact:pii.email'], directives: [] },
  risk_level: 'low',
  user_verified: false,
  provider: 'openai',
}
const QUESTION = 'Draft a reply to jane.roe@example.org about her order.'
const ANSWER = 'Hello, thank you for your message. Your order is on its way.'
const user = { user: { id: 'alice' } }

/** Examples of the operations that developers read first, by operation id. All others are made from their schemas. */
export const WRITTEN: Readonly<Record<string, Written>> = {
  createChatCompletion: {
    events:
      'data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":"Hello,"},"finish_reason":null}]}\n\ndata: [DONE]\n\n',
    request: { model: 'gpt-4o-mini', messages: [{ role: 'user', content: QUESTION }], governance: user },
    response: {
      id: 'chatcmpl_01m3x8k5v7fqt9w2c4n6h0r1sz',
      object: 'chat.completion',
      created: 1772443800,
      model: 'gpt-4o-mini',
      choices: [{ index: 0, message: { role: 'assistant', content: ANSWER }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 24, completion_tokens: 31, total_tokens: 55 },
      governance: GOVERNANCE,
    },
  },
  createResponse: {
    events: 'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":"Hello,"}\n\ndata: [DONE]\n\n',
    request: { model: 'gpt-4o-mini', input: QUESTION, governance: user },
    response: {
      id: 'resp_01m3x8k5v7fqt9w2c4n6h0r1sz',
      object: 'response',
      created_at: 1772443800,
      status: 'completed',
      incomplete_details: null,
      model: 'gpt-4o-mini',
      output: [{ type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: ANSWER }] }],
      usage: {
        input_tokens: 24,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: 31,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 55,
      },
      store: false,
      previous_response_id: null,
      governance: GOVERNANCE,
    },
  },
  createAnthropicMessage: {
    events:
      'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello,"}}\n\n',
    request: {
      model: 'claude-sonnet-4-5',
      max_tokens: 500,
      system: 'You answer customers of a shop for shoes.',
      messages: [{ role: 'user', content: QUESTION }],
      governance: user,
    },
    response: {
      id: 'msg_01m3x8k5v7fqt9w2c4n6h0r1sz',
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: [{ type: 'text', text: ANSWER }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 24, output_tokens: 31 },
      governance: { ...GOVERNANCE, provider: 'anthropic' },
    },
  },
  countAnthropicTokens: {
    request: { model: 'claude-sonnet-4-5', messages: [{ role: 'user', content: QUESTION }] },
    response: { input_tokens: 24 },
  },
  createEmbeddings: {
    request: { model: 'text-embedding-3-small', input: ['How long can shoes be sent back?'] },
    response: {
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding: [0.0123, -0.0456, 0.0789] }],
      model: 'text-embedding-3-small',
      usage: { prompt_tokens: 8, total_tokens: 8 },
      governance: { ...GOVERNANCE, decision: { verdict: 'allow', transforms: [], directives: [] } },
    },
  },
  listInputItems: {
    response: {
      object: 'list',
      data: [
        {
          id: 'msg_01m3x8k5v7fqt9w2c4n6h0r1sz',
          type: 'message',
          role: 'user',
          content: [{ type: 'input_text', text: QUESTION }],
        },
      ],
      first_id: 'msg_01m3x8k5v7fqt9w2c4n6h0r1sz',
      last_id: 'msg_01m3x8k5v7fqt9w2c4n6h0r1sz',
      has_more: false,
    },
  },
  getAuditRecord: {
    response: {
      id: AUDIT_ID,
      object: 'audit_record',
      endpoint: 'chat',
      status: 200,
      decision: { verdict: 'allow', transforms: ['redact:pii.email'], directives: [], rules: [] },
      findings: { 'pii.email': 1 },
    },
  },
  searchKnowledge: { request: { query: 'How long can shoes be sent back?', limit: 3, governance: user } },
  searchMemory: { request: { query: 'size of shoes', limit: 3, governance: user } },
  captureMemory: {
    request: {
      content: 'Wears shoes in size 42.',
      scope: 'user',
      kind: 'preference',
      classification: 'internal',
      governance: user,
    },
  },
  streamEvents: {
    events: 'id: 42\nevent: message.created\ndata: {"id": "msg_01m3x8k5v7fqt9w2c4n6h0r1sz", "message": "Lunch at noon?"}\n\n',
  },
  streamReviews: { events: 'event: review\ndata: {"id": "rev_01m3x8k5v7fqt9w2c4n6h0r1sz"}\n\n' },
  createConversation: { request: { contact_id: 'bob', distinct: true } },
  createGroup: { request: { name: 'Lunch', contacts: ['bob', 'carol'] } },
  updateMessage: { request: { reactions: { thumbs_up: ['bob'] } } },
  createApplication: { request: { name: 'support', models: ['gpt-4o-mini'], default_model: 'gpt-4o-mini' } },
  updateApplication: { request: { settings: { extensions: ['tools'], knowledge: { enabled: true } } } },
  updateWorkspace: {
    request: { settings: { jwks: { url: 'https://login.example.com/keys' }, issuer: 'https://login.example.com' } },
  },
  createUser: {
    request: {
      id: 'alice',
      username: 'alice',
      role: 'support_agent',
      department: 'support',
      attributes: { clearance: 'internal' },
    },
  },
  issueKey: { request: { name: 'production', expires_at: '2027-03-02T09:30:00.000Z' } },
  issueAccessToken: { request: { name: 'phone' } },
  createCollection: { request: { name: 'handbook', classification: 'internal', acl: { everyone: true } } },
  ingestDocuments: {
    request: { documents: [{ key: 'returns.md', title: 'Returns of shoes', content: 'Shoes can be sent back for 90 days.' }] },
  },
  createAssistant: {
    request: { id: 'helper', username: 'helper', display_name: 'Helper', application_id: 'app_01m3x8k5v7fqt9w2c4n6h0r1sz' },
  },
  createWebhook: { request: { url: 'https://example.com/gatehouse', types: ['review.created', 'review.decided'] } },
  acknowledgeReviews: { request: { ids: ['rev_01m3x8k5v7fqt9w2c4n6h0r1sz'], comment: 'No harm was done.' } },
  createProvider: {
    request: {
      id: 'openai',
      kind: 'openai',
      base_url: 'https://api.openai.com/v1',
      api_key: 'sk-…',
      max_classification: 'internal',
    },
  },
}
