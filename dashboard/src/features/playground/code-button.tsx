import { Button, Code, Group, Modal, SegmentedControl, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconCode } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../api/queries.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { historyOf, type Turn } from './chat.ts'
import { CODE_FORMATS, type CodeFormat, codeFor } from './copy-as-code.ts'
import type { Parameters } from './parameters.ts'
import { DEFAULT_MODEL, modelsOf, type PlaygroundFilters } from './playground-filters.ts'
import { requestBody } from './request-body.ts'

interface CodeButtonProps {
  readonly filters: PlaygroundFilters
  readonly parameters: Parameters
  readonly turns: readonly Turn[]
}

/** Shows the chat's last request as a program. */
export function CodeButton(props: CodeButtonProps) {
  const { t } = useTranslation('playground')
  const [opened, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button variant="default" leftSection={<IconCode size={16} />} onClick={open}>
        {t('code.button')}
      </Button>
      <Modal opened={opened} onClose={close} title={t('code.button')} size="xl">
        <CodeView {...props} />
      </Modal>
    </>
  )
}

function CodeView({ filters, parameters, turns }: CodeButtonProps) {
  const { t } = useTranslation('playground')
  const [format, setFormat] = useState<CodeFormat>('curl')
  const [chosen = DEFAULT_MODEL] = modelsOf(filters)
  const { application: id = '' } = filters
  const { data: application } = useRead('/admin/v1/applications/{id}', { params: { path: { id } } }, { enabled: id !== '' })
  const last = turns.at(-1)
  const messages = last
    ? [...historyOf(turns.slice(0, -1), chosen), { role: 'user', content: last.prompt } as const]
    : [{ role: 'user', content: t('code.hello') } as const]
  const model = chosen === DEFAULT_MODEL ? (application?.default_model ?? DEFAULT_MODEL) : chosen
  const body = requestBody({ model, messages, filters, parameters })
  const code = codeFor(format, { base: location.origin, body, withUserToken: filters.as !== undefined })
  return (
    <Stack>
      <Group justify="space-between">
        <SegmentedControl
          aria-label={t('code.language')}
          data={CODE_FORMATS.map((value) => ({ value, label: t(`code.formats.${value}`) }))}
          value={format}
          onChange={(value) => setFormat(value as CodeFormat)}
        />
        <CopyButton value={code} label={t('code.name')} />
      </Group>
      <Text size="sm" c="dimmed">
        {t(filters.as === undefined ? 'code.key' : 'code.keyAndToken')}
      </Text>
      <Code block tabIndex={0} role="region" aria-label={t('code.region')} mah={420} style={{ overflow: 'auto' }}>
        {code}
      </Code>
    </Stack>
  )
}
