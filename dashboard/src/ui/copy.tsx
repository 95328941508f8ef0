import { ActionIcon, Code, Group, CopyButton as MantineCopyButton, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'

interface CopyProps {
  readonly value: string
  /** Names the value, without an article: "key". */
  readonly label: string
}

interface CopyableProps extends CopyProps {
  /** Takes the focus when the dialog around it opens. */
  readonly autoFocus?: boolean
}

/** Copies a value and confirms it. */
export function CopyButton({ value, label, autoFocus }: CopyableProps) {
  const { t } = useTranslation('ui')
  return (
    <MantineCopyButton value={value} timeout={2_000}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? t('copy.done') : t('copy.action', { label })}>
          <ActionIcon
            variant="subtle"
            color={copied ? 'green' : 'gray'}
            onClick={copy}
            aria-label={copied ? t('copy.done') : t('copy.action', { label })}
            {...(autoFocus && { 'data-autofocus': true })}
          >
            {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
          </ActionIcon>
        </Tooltip>
      )}
    </MantineCopyButton>
  )
}

/** A value that operators copy, such as an id, a key or a link. */
export function Copyable({ value, label, autoFocus }: CopyableProps) {
  return (
    <Group gap={4} wrap="nowrap">
      <Code style={{ overflowWrap: 'anywhere' }}>{value}</Code>
      <CopyButton value={value} label={label} {...(autoFocus && { autoFocus })} />
    </Group>
  )
}
