import { byType, GOVERNANCE, type Known, type KnownFields, knownFields } from '../known-fields.ts'

const cached = { cache_control: knownFields('type ttl scope') }

const Source = knownFields('type media_type data url file_id content')

/** Blocks and tools of other types are refused, or carried as a whole. */
const BLOCKS: Readonly<Record<string, KnownFields>> = {
  text: knownFields('type text citations', cached),
  image: knownFields('type transformations', { ...cached, source: Source }),
  document: knownFields('type title context', { ...cached, source: Source, citations: knownFields('enabled') }),
  tool_use: knownFields('type id name input toolset_name extra_content provider_specific_fields', {
    ...cached,
    caller: knownFields('type tool_id'),
  }),
  thinking: knownFields('type thinking signature', cached),
  redacted_thinking: knownFields('type data', cached),
}
const Block: Known = byType({
  ...BLOCKS,
  tool_result: knownFields('type tool_use_id is_error toolset_name', { ...cached, content: byType(BLOCKS) }),
})

const CustomTool = knownFields(
  'type name description input_schema strict eager_input_streaming defer_loading allowed_callers input_examples',
  cached,
)
const Tool: Known = ({ type }) => (type == null || type === 'custom' ? CustomTool : undefined)

const Format = knownFields('type name schema')

/** A body of the Messages API. In arguments of calls, schemas and the state of providers all names are the client's own. */
export const MESSAGES_FIELDS = knownFields(
  `model max_tokens stream stop_sequences temperature top_p top_k service_tier container mcp_servers inference_geo speed fallbacks betas
   anthropic_beta anthropic_version diagnostics user_profile_id workspace_id`,
  {
    ...cached,
    governance: GOVERNANCE,
    system: Block,
    messages: knownFields('role', { content: Block }),
    tools: Tool,
    tool_choice: knownFields('type name disable_parallel_tool_use'),
    metadata: knownFields('user_id'),
    thinking: knownFields('type budget_tokens display', { block_binding: knownFields('prefix_mismatch_behavior') }),
    output_config: knownFields('effort', { format: Format }),
    output_format: Format,
    context_management: knownFields('', {
      edits: knownFields('type keep trigger clear_at_least clear_tool_inputs exclude_tools'),
    }),
  },
)
