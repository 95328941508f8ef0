import { byType, GOVERNANCE, type Known, type KnownFields, knownFields } from '../known-fields.ts'

const Citation = byType({ url_citation: knownFields('type url title start_index end_index') })

const Part = byType({
  input_text: knownFields('type text prompt_cache_breakpoint'),
  output_text: knownFields('type text logprobs parsed', { annotations: Citation }),
  refusal: knownFields('type refusal'),
  input_image: knownFields('type image_url file_id detail prompt_cache_breakpoint'),
  input_file: knownFields('type file_data filename file_id file_url detail prompt_cache_breakpoint'),
})

const FORMATS = byType({ text: knownFields('type'), grammar: knownFields('type syntax definition') })
const LOADING = 'async defer_loading allowed_callers'
const CALLED: Readonly<Record<string, KnownFields>> = {
  function: knownFields(`type name description parameters output_schema strict ${LOADING}`),
  custom: knownFields(`type name description ${LOADING}`, { format: FORMATS }),
}
const Tool = byType({
  ...CALLED,
  namespace: knownFields('type name description', { tools: byType(CALLED) }),
  tool_search: knownFields('type execution description parameters'),
})

const STATE = 'id type status'
const CALL = `${STATE} call_id name namespace async extra_content provider_specific_fields parsed_arguments`
const Caller = { caller: knownFields('type caller_id') }
const Output = knownFields(`${STATE} call_id name namespace`, { ...Caller, output: Part })
const Message = knownFields(`${STATE} role phase`, { content: Part })

/** Parts, tools and items of other types are refused, or carried as a whole. */
const Item: Known = byType(
  {
    message: Message,
    function_call: knownFields(`${CALL} arguments`, Caller),
    custom_tool_call: knownFields(`${CALL} input`, Caller),
    function_call_output: Output,
    custom_tool_call_output: Output,
    reasoning: knownFields(`${STATE} encrypted_content signature format`, {
      summary: knownFields('type text'),
      content: knownFields('type text'),
    }),
    additional_tools: knownFields(`${STATE} role`, { tools: Tool }),
    tool_search_call: knownFields(`${STATE} call_id execution arguments`),
    tool_search_output: knownFields(`${STATE} call_id execution`, { tools: Tool }),
  },
  Message,
)

export const ITEM_FIELDS = Item

/** A body of the Responses API. In `metadata`, schemas and the state of providers all names are the client's own. */
export const RESPONSES_FIELDS = knownFields(
  `model stream temperature top_p presence_penalty frequency_penalty metadata user service_tier safety_identifier prompt_cache_key
   prompt_cache_retention prompt_cache_options instructions previous_response_id parallel_tool_calls max_output_tokens top_logprobs include
   store conversation prompt background truncation context_management max_tool_calls client_metadata access_programs image
   moderation`,
  {
    governance: GOVERNANCE,
    input: Item,
    tools: Tool,
    tool_choice: knownFields('type name mode', { tools: knownFields('type name') }),
    text: knownFields('verbosity', { format: knownFields('type name schema description strict') }),
    reasoning: knownFields('effort summary generate_summary context mode'),
    stream_options: knownFields('include_obfuscation'),
  },
)
