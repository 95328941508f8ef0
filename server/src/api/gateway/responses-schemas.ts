import { Type } from 'typebox'
import { ChatBody } from './chat-request.ts'
import { optional } from './request-fields.ts'

const anyObject = Type.Object({}, { additionalProperties: true })
const text = optional(Type.String())

/** Documentation: the dialect validates requests (dialects/openai-responses). */
export const ResponsesBody = Type.Object(
  {
    model: ChatBody.properties.model,
    input: Type.Union([Type.String(), Type.Array(anyObject, { minItems: 1 })], {
      description:
        'A text, or the whole conversation: `message`, `reasoning`, `function_call`, `function_call_output`, `custom_tool_call` and `custom_tool_call_output` items.',
    }),
    instructions: text,
    tools: optional(Type.Array(anyObject, { description: 'Tools of the types `function` and `custom`.' })),
    tool_choice: optional(Type.Union([Type.String(), anyObject])),
    parallel_tool_calls: optional(Type.Boolean()),
    text: optional(anyObject),
    reasoning: optional(anyObject),
    max_output_tokens: optional(Type.Integer({ minimum: 1 })),
    temperature: ChatBody.properties.temperature,
    top_p: ChatBody.properties.top_p,
    top_logprobs: ChatBody.properties.top_logprobs,
    include: optional(
      Type.Array(Type.Union([Type.Literal('reasoning.encrypted_content'), Type.Literal('message.output_text.logprobs')])),
    ),
    metadata: ChatBody.properties.metadata,
    user: ChatBody.properties.user,
    safety_identifier: text,
    prompt_cache_key: text,
    service_tier: ChatBody.properties.service_tier,
    previous_response_id: optional(Type.String({ maxLength: 256, description: 'The stored response that this one continues.' })),
    store: optional(
      Type.Boolean({ description: "Whether the response is stored. Default: the Application's `settings.responses.store`." }),
    ),
    stream: ChatBody.properties.stream,
    governance: ChatBody.properties.governance,
  },
  {
    description:
      'Fields that ask for stored content, tools of the provider or anything else that the gateway cannot carry out are refused by name (`conversation`, `prompt`, `background` …).',
  },
)

export const ResponseFields = {
  id: Type.String(),
  object: Type.Literal('response'),
  created_at: Type.Integer({ description: 'Unix time in seconds.' }),
  status: Type.Union([Type.Literal('completed'), Type.Literal('incomplete')]),
  incomplete_details: Type.Union([Type.Object({ reason: Type.String() }), Type.Null()]),
  model: Type.String(),
  output: Type.Array(anyObject, { description: '`reasoning`, `message`, `function_call` and `custom_tool_call` items.' }),
  usage: Type.Object({
    input_tokens: Type.Integer(),
    input_tokens_details: Type.Object({ cached_tokens: Type.Integer() }),
    output_tokens: Type.Integer(),
    output_tokens_details: Type.Object({ reasoning_tokens: Type.Integer() }),
    total_tokens: Type.Integer(),
  }),
  store: Type.Boolean({ description: 'Whether the response is stored.' }),
  previous_response_id: Type.Union([Type.String(), Type.Null()]),
  provider_fields: Type.Optional(
    Type.Object(
      {},
      {
        additionalProperties: true,
        description: 'Fields of the completion that the responses API has no place for.',
      },
    ),
  ),
}
