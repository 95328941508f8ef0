import type { Fields } from '../../src/platform/lib/untrusted-json.ts'
import { FILE, type FieldGroup, group, groupsOf, PICTURE } from './field-group.ts'

const USER = { role: 'user', content: 'Hi' }
const messages = (...list: readonly Fields[]) => ({ model: 'm', messages: list })
const part = (fields: Fields) => messages({ role: 'user', content: [fields] })
const CALL = { id: 'call_1', type: 'function', function: { name: 'look_up', arguments: '{}' } }
const calling = (call: Fields) => messages(USER, { role: 'assistant', content: null, tool_calls: [call] })
const BREAKPOINT = { mode: 'explicit' }

/** The fields of messages of chat completions. */
export const CHAT_MESSAGE_FIELDS: readonly FieldGroup[] = groupsOf('openai-chat', [
  group('messages[]', 'system', ['chat:ChatCompletionSystemMessageParam'], {
    body: (fields) => messages({ role: 'system', content: 'Be brief', ...fields }, USER),
    values: { content: ['Be long', [{ type: 'text', text: 'Be long' }]], role: ['developer'], name: ['ann'] },
  }),
  group('messages[]', 'developer', ['chat:ChatCompletionDeveloperMessageParam'], {
    body: (fields) => messages(USER, { role: 'developer', content: 'Be brief', ...fields }),
    values: { content: ['Be long'], role: ['system'], name: ['ann'] },
  }),
  group('messages[]', 'user', ['chat:ChatCompletionUserMessageParam'], {
    body: (fields) => messages({ role: 'user', content: 'Hi', ...fields }, USER),
    values: { content: ['Good morning'], role: ['system'], name: ['ann'] },
  }),
  group('messages[]', 'assistant', ['chat:ChatCompletionAssistantMessageParam'], {
    body: (fields) => messages(USER, { role: 'assistant', content: 'Yes', ...fields }, USER),
    values: {
      role: ['user'],
      audio: [{ id: 'audio_1' }],
      content: ['No', [{ type: 'text', text: 'No' }]],
      function_call: [{ name: 'look_up', arguments: '{}' }],
      name: ['ann'],
      refusal: ['No'],
      tool_calls: [[CALL], [{ id: 'call_1', type: 'custom', custom: { name: 'shell', input: 'ls' } }]],
      phase: ['commentary'],
      annotations: [
        [{ type: 'url_citation', url_citation: { url: 'https://a.example', title: 'A', start_index: 0, end_index: 1 } }],
      ],
      reasoning_content: ['Thinking'],
      reasoning: ['Thinking'],
      reasoning_details: [[{ type: 'reasoning.text', text: 'Thinking' }]],
    },
  }),
  group('messages[]', 'tool', ['chat:ChatCompletionToolMessageParam'], {
    body: (fields) =>
      messages(
        USER,
        { role: 'assistant', content: null, tool_calls: [CALL, { ...CALL, id: 'call_2' }] },
        { role: 'tool', tool_call_id: 'call_1', content: '1', ...fields },
      ),
    values: {
      content: ['2', [{ type: 'text', text: '2' }]],
      role: ['function'],
      tool_call_id: ['call_2'],
      name: ['look_up', 'write'],
    },
  }),
  group('messages[].content[]', 'text', ['chat:ChatCompletionContentPartText'], {
    body: (fields) => part({ type: 'text', text: 'Hi', ...fields }),
    values: {
      text: ['Good morning'],
      type: ['input_audio'],
      prompt_cache_breakpoint: [BREAKPOINT],
      cache_control: [{ type: 'ephemeral' }],
    },
  }),
  group(
    'messages[].content[]',
    'image_url',
    ['chat:ChatCompletionContentPartImage', 'chat:ChatCompletionContentPartImage.ImageURL'],
    {
      body: ({ url = PICTURE.url, detail, ...fields }) =>
        part({ type: 'image_url', image_url: { url, ...(detail !== undefined && { detail }) }, ...fields }),
      values: {
        url: [PICTURE.otherUrl],
        detail: ['auto', 'low', 'high', 'original'],
        image_url: [{ url: PICTURE.otherUrl }],
        type: ['text'],
        prompt_cache_breakpoint: [BREAKPOINT],
      },
    },
  ),
  group('messages[].content[]', 'input_audio', ['chat:ChatCompletionContentPartInputAudio'], {
    body: (fields) =>
      messages({
        role: 'user',
        content: [{ type: 'text', text: 'Hi' }, ...(Object.keys(fields).length > 0 ? [{ type: 'input_audio', ...fields }] : [])],
      }),
    values: { input_audio: [{ data: 'AAAA', format: 'wav' }], type: ['input_audio'], prompt_cache_breakpoint: [BREAKPOINT] },
  }),
  group('messages[].content[]', 'file', ['chat:ChatCompletionContentPart.File'], {
    body: ({ file_data = FILE.url, filename, file_id, ...fields }) =>
      part({
        type: 'file',
        file: { file_data, ...(filename !== undefined && { filename }), ...(file_id !== undefined && { file_id }) },
        ...fields,
      }),
    values: {
      file: [{ file_data: FILE.otherUrl }],
      type: ['text'],
      prompt_cache_breakpoint: [BREAKPOINT],
      file_data: [FILE.otherUrl],
      file_id: ['file-1'],
      filename: ['a.pdf'],
    },
  }),
  group('messages[].content[]', 'refusal', ['chat:ChatCompletionContentPartRefusal'], {
    body: (fields) => messages(USER, { role: 'assistant', content: [{ type: 'refusal', refusal: 'No', ...fields }] }),
    values: { refusal: ['Never'], type: ['text'] },
  }),
  group(
    'messages[].tool_calls[]',
    'function',
    ['chat:ChatCompletionMessageFunctionToolCall', 'chat:ChatCompletionMessageFunctionToolCall.Function'],
    {
      body: ({ name = 'look_up', arguments: input = '{}', ...fields }) =>
        calling({ id: 'call_1', type: 'function', function: { name, arguments: input }, ...fields }),
      values: {
        id: ['call_2', 'odd id: 2'],
        function: [{ name: 'write', arguments: '{}' }],
        type: ['custom'],
        name: ['write'],
        arguments: ['{"city":"Bern"}', 'no JSON'],
        index: [0],
        extra_content: [{ google: { thought_signature: 'c2lnbg==' } }],
        provider_specific_fields: [{ thought_signature: 'c2lnbg==' }],
      },
    },
  ),
  group(
    'messages[].tool_calls[]',
    'custom',
    ['chat:ChatCompletionMessageCustomToolCall', 'chat:ChatCompletionMessageCustomToolCall.Custom'],
    {
      body: ({ name = 'shell', input = 'ls', ...fields }) =>
        calling({ id: 'call_1', type: 'custom', custom: { name, input }, ...fields }),
      values: { id: ['call_2'], custom: [{ name: 'run', input: 'ls' }], type: ['function'], name: ['run'], input: ['cat'] },
    },
  ),
])
