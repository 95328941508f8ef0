import { List, ThemeIcon, VisuallyHidden } from '@mantine/core'
import { IconCheck, IconInfoSmall, IconX } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'

interface CheckItem {
  /** null: it informs, and decides nothing. */
  readonly passed: boolean | null
  readonly because: string
}

/** Results of checks, each with a sentence. */
export function CheckList({ checks }: { readonly checks: readonly CheckItem[] }) {
  const { t } = useTranslation('knowledge')
  return (
    <List size="sm" lh={1.4} spacing={6} center listStyleType="none" withPadding={false}>
      {checks.map(({ passed, because }) => (
        <List.Item key={because} icon={<CheckIcon passed={passed} />} style={{ overflowWrap: 'anywhere' }}>
          {passed !== null && <VisuallyHidden>{passed ? t('search.passed') : t('search.failed')}</VisuallyHidden>}
          {because}
        </List.Item>
      ))}
    </List>
  )
}

function CheckIcon({ passed }: Pick<CheckItem, 'passed'>) {
  const [color, Icon] = passed === null ? (['gray', IconInfoSmall] as const) : LOOKS[passed ? 'passed' : 'failed']
  return (
    <ThemeIcon size={18} radius="xl" color={color} variant="light" aria-hidden>
      <Icon size={12} />
    </ThemeIcon>
  )
}

const LOOKS = { passed: ['green', IconCheck], failed: ['red', IconX] } as const
