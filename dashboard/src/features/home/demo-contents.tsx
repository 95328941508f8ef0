import { Alert, List, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { ResponseOf } from '../../api/operations.ts'
import { formatCount } from '../../ui/format-numbers.ts'

export type Demo = ResponseOf<'get', '/admin/v1/demo'>
type Content = Demo['contents'][number]

/** Contents that removing the demo deletes; first those that operators have added. */
export function DemoContents({ demo: { workspace, contents, operators, owner_stays } }: { readonly demo: Demo }) {
  const { t } = useTranslation('home')
  const added = contents.filter((content) => content.added > 0)
  return (
    <Stack gap="sm">
      <Text size="sm">{t('demo.consequence', { name: workspace.name })}</Text>
      {added.length > 0 && (
        <Alert color="yellow" title={t('demo.added')}>
          <List size="sm">
            {added.map(({ kind, added, names }) => (
              <List.Item key={kind}>
                <Counted kind={kind} count={added} />
                {names.length > 0 && `: ${names.join(', ')}`}
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
      <Text size="sm" fw={500}>
        {t('demo.deleted')}
      </Text>
      <List size="sm" aria-label={t('demo.deleted')} style={{ columns: '2 12rem' }}>
        {contents
          .filter(({ total }) => total > 0)
          .map(({ kind, total }) => (
            <List.Item key={kind}>
              <Counted kind={kind} count={total} />
            </List.Item>
          ))}
      </List>
      {operators.length > 0 && (
        <Text size="sm">{t('demo.operators', { emails: operators.join(', '), count: operators.length })}</Text>
      )}
      {owner_stays && <Text size="sm">{t('demo.ownerStays')}</Text>}
    </Stack>
  )
}

function Counted({ kind, count }: { readonly kind: Content['kind']; readonly count: number }) {
  const { t } = useTranslation('home')
  return t(`demo.kinds.${kind}`, { count, shown: formatCount(count) })
}
