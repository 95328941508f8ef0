const words = (text: string): string[] => text.trim().split(/\s+/)

/** Words of the OpenAI chat API and JSON Schema: structure as a name, type or role. Any other word there is scanned like a text. */
export const VOCABULARY: ReadonlySet<string> = new Set([
  ...words('system developer user assistant tool'),
  ...words('role content name tool_calls tool_call_id function_call id type function arguments custom input index message'),
  ...words(
    'text refusal reasoning_content reasoning image_url url detail input_audio data format file filename file_data file_id',
  ),
  ...words('temperature n top_p presence_penalty frequency_penalty seed stop logprobs top_logprobs logit_bias max_tokens'),
  ...words('max_completion_tokens metadata reasoning_effort service_tier parallel_tool_calls tools tool_choice finish_reason'),
  ...words(
    'store verbosity prompt_cache_key prompt_cache_retention safety_identifier prediction modalities user extra_body dimensions encoding_format',
  ),
  ...words(
    'top_k min_p repetition_penalty chat_template_kwargs guided_json thinking enable_thinking budget_tokens cache_control',
  ),
  ...words('reasoning_details extra_content google thought_signature signature encrypted_content summary annotations'),
  ...words(
    'url_citation start_index end_index call_index phase citations reasoning.text reasoning.summary reasoning.encrypted allowed_tools mode',
  ),
  ...words('system_fingerprint provider native_finish_reason prompt_tokens_details completion_tokens_details cached_tokens'),
  ...words('audio_tokens reasoning_tokens accepted_prediction_tokens rejected_prediction_tokens cache_write_tokens cost'),
  ...words('prompt_cache_hit_tokens prompt_cache_miss_tokens queue_time prompt_time completion_time total_time'),
  ...words('content_filter_results prompt_filter_results stop_reason token_ids'),
  ...words('reasoning_included namespaced_names response_format json_schema json_object schema strict parameters'),
  ...words('object string number integer boolean array null'),
  ...words('properties required items prefixItems additionalProperties enum const default examples title description'),
  ...words('minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems uniqueItems'),
  ...words('pattern anyOf oneOf allOf not nullable $ref $defs $schema definitions'),
])
