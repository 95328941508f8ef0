import { Button, Group, JsonInput, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { parseTools, type Tool } from './parameters.ts'

interface ToolsFieldProps {
  /** JSON list, or empty. */
  readonly value: string
  readonly onChange: (text: string) => void
}

/** The tools as JSON, and a form that adds one. */
export function ToolsField({ value, onChange }: ToolsFieldProps) {
  const { t } = useTranslation('playground')
  const [opened, { open, close }] = useDisclosure(false)
  const parsed = parseTools(value)
  const add = (tool: Tool) => {
    onChange(JSON.stringify([...(parsed.ok ? parsed.tools : []), tool], null, 2))
    close()
  }
  return (
    <Stack gap="xs">
      <JsonInput
        label={t('tools.label')}
        description={t('tools.hint')}
        autosize
        minRows={2}
        maxRows={12}
        value={value}
        error={!parsed.ok && t(`tools.problems.${parsed.problem}`)}
        onChange={onChange}
      />
      <Button size="xs" variant="default" w="fit-content" disabled={!parsed.ok} onClick={open}>
        {t('tools.add')}
      </Button>
      <Modal opened={opened} onClose={close} title={t('tools.add')}>
        <ToolForm names={parsed.ok ? parsed.tools.map((tool) => tool.function.name) : []} onAdd={add} />
      </Modal>
    </Stack>
  )
}

const EMPTY_PARAMETERS = '{\n  "type": "object",\n  "properties": {}\n}'

interface ToolFormProps {
  /** Of the tools that exist. */
  readonly names: readonly string[]
  readonly onAdd: (tool: Tool) => void
}

function ToolForm({ names, onAdd }: ToolFormProps) {
  const { t } = useTranslation('playground')
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const [parameters, setParameters] = useState(EMPTY_PARAMETERS)
  const definition = (text: string) => `{"name": ${JSON.stringify(name)}, "parameters": ${text}}`
  const parsed = parseTools(`[{"type": "function", "function": ${definition(parameters)}}]`)
  const isTaken = names.includes(name)
  const nameProblem = isTaken ? 'duplicate' : !parsed.ok && parsed.problem === 'name' ? 'name' : undefined
  return (
    <Stack gap="sm">
      <TextInput
        label={t('tools.name')}
        required
        data-autofocus
        value={name}
        error={name !== '' && nameProblem && t(`tools.problems.${nameProblem}`)}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <TextInput
        label={t('tools.description')}
        value={description}
        onChange={({ currentTarget }) => setDescription(currentTarget.value)}
      />
      <JsonInput
        label={t('tools.parameters')}
        autosize
        minRows={4}
        maxRows={16}
        value={parameters}
        error={!parsed.ok && parsed.problem === 'json' && t('tools.problems.json')}
        onChange={setParameters}
      />
      <Text size="xs" c="dimmed">
        {t('tools.parametersHint')}
      </Text>
      <Group justify="flex-end">
        <Button
          disabled={!parsed.ok || isTaken}
          onClick={() =>
            onAdd({
              type: 'function',
              function: { name, ...(description && { description }), parameters: JSON.parse(parameters) as object },
            })
          }
        >
          {t('tools.addTool')}
        </Button>
      </Group>
    </Stack>
  )
}
