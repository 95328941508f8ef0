import { byType, GOVERNANCE, type Known, type KnownFields, knownFields } from '../known-fields.ts'

const cited = { url_citation: knownFields('start_index end_index url title content') }

/** Parts of other types belong to compatible servers, and their fields too. */
const Part = partOf({
  text: knownFields('text citations'),
  refusal: knownFields('refusal'),
  image_url: knownFields('', { image_url: knownFields('url detail format') }),
  input_audio: knownFields('', { input_audio: knownFields('data format') }),
  file: knownFields('', { file: knownFields('file_data filename file_id format') }),
})

/** Compatible servers take hints for caches and sizes of pictures on every part. */
function partOf(kinds: Readonly<Record<string, KnownFields>>): Known {
  const all = knownFields('type cache_control prompt_cache_breakpoint min_pixels max_pixels')
  return byType(Object.fromEntries(Object.entries(kinds).map(([type, kind]) => [type, new Map([...all, ...kind])])))
}

const STATE = 'extra_content provider_specific_fields'
const Called = knownFields(`name arguments parsed_arguments thought_signature ${STATE}`)
const Call = knownFields(`id type index ${STATE}`, { function: Called, custom: knownFields('name input') })

/** OpenAI's fields, and those in which compatible servers keep reasoning, state and prefixes. */
const Message = knownFields(
  `role name tool_call_id refusal audio parsed phase cache_control prefix partial images citations ${STATE}
   reasoning_content reasoning reasoning_details thinking thinking_blocks`,
  {
    content: Part,
    function_call: Called,
    tool_calls: Call,
    annotations: byType({ url_citation: knownFields('type', cited) }),
  },
)

const named = knownFields('name')
const choice = { function: named, custom: named }
const TOOL = {
  function: knownFields('name description parameters strict'),
  custom: knownFields('name description', { format: knownFields('type', { grammar: knownFields('syntax definition') }) }),
}

const OPENAI = `model temperature max_tokens max_completion_tokens stream n top_p presence_penalty frequency_penalty seed stop logprobs top_logprobs
  logit_bias user metadata reasoning_effort service_tier parallel_tool_calls store verbosity modalities audio functions function_call
  prompt_cache_key prompt_cache_retention prompt_cache_options safety_identifier web_search_options moderation`

/** Fields of servers with this API: vLLM, SGLang, llama.cpp, Ollama, OpenRouter, Mistral, DeepSeek, Qwen, Groq, Together, Fireworks. */
const COMPATIBLE = `extra_body top_k top_a min_p typical_p repetition_penalty length_penalty repeat_penalty repeat_last_n min_tokens max_new_tokens
  num_predict n_predict best_of use_beam_search ignore_eos stop_token_ids include_stop_str_in_output skip_special_tokens
  spaces_between_special_tokens truncate_prompt_tokens prompt_truncate_len prompt_logprobs allowed_token_ids bad_words echo
  add_generation_prompt continue_final_message add_special_tokens documents chat_template chat_template_kwargs include_reasoning
  mm_processor_kwargs structured_outputs guided_json guided_regex guided_choice guided_grammar guided_decoding_backend
  guided_whitespace_pattern priority request_id cache_salt return_tokens_as_token_ids return_token_ids thinking_token_budget regex ebnf
  separate_reasoning stream_reasoning lora_path rid no_stop_trim grammar json_schema mirostat mirostat_tau mirostat_eta cache_prompt id_slot
  samplers options keep_alive format think transforms reasoning usage session_id trace cache_control image_config random_seed safe_prompt
  prompt_mode thinking enable_thinking thinking_budget preserve_thinking clear_thinking disable_reasoning reasoning_format reasoning_budget
  reasoning_split speculation prompt_cache_isolation_key context_length_exceeded_behavior perf_metrics_in_response raw_output safety_model nvext`

/** A body of chat completions. Under `metadata`, schemas and the fields of compatible servers all names are the client's own. */
export const CHAT_FIELDS = knownFields(`${OPENAI} ${COMPATIBLE}`, {
  messages: Message,
  governance: GOVERNANCE,
  stream_options: knownFields('include_usage include_obfuscation'),
  prediction: knownFields('type', { content: Part }),
  response_format: knownFields('type schema', { json_schema: knownFields('name description schema strict') }),
  tools: knownFields('type cache_control', TOOL),
  tool_choice: knownFields('type', {
    ...choice,
    allowed_tools: knownFields('mode', { tools: knownFields('type', choice) }),
  }),
})

export const CHAT_MESSAGE_FIELDS: KnownFields = Message
