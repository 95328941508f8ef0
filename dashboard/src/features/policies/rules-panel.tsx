import { Alert, Anchor, Box, Button, Group, List, Stack } from '@mantine/core'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FormModal } from '../../ui/form-modal.tsx'
import { RuleVerdict } from '../../ui/verdict.tsx'
import { putRule, type RuleInText, rulesIn } from './rule-document.ts'
import { NEW_RULE, type RuleFields, toRuleYaml } from './rule-fields.ts'
import { RuleForm } from './rule-form.tsx'
import { TemplatesButton } from './templates-button.tsx'
import type { DraftState } from './use-draft.ts'

interface RulesPanelProps {
  readonly draft: DraftState
  readonly onLine: (line: number) => void
}

/** The rules of a draft: simple rules open in a form, others at their line in the editor. */
export function RulesPanel({ draft, onLine }: RulesPanelProps) {
  const { t } = useTranslation('policies')
  const { source, canWrite, replace } = draft
  const rules = useMemo(() => rulesIn(source), [source])
  const [edited, setEdited] = useState<RuleInText | 'new'>()
  const [isDirty, setDirty] = useState(false)
  const [failed, setFailed] = useState(false)
  const close = () => {
    setEdited(undefined)
    setDirty(false)
  }
  const put = (text: string | undefined) => {
    setFailed(text === undefined)
    if (text !== undefined) replace(text)
    close()
  }
  const save = (fields: RuleFields) => {
    const replaced = edited === 'new' ? undefined : rulesIn(source).find(({ id }) => edited?.id === id)
    put(putRule(source, toRuleYaml(fields), replaced))
  }
  return (
    <Stack>
      {canWrite && (
        <Group gap="xs">
          <Button size="xs" onClick={() => setEdited('new')}>
            {t('form.add')}
          </Button>
          <TemplatesButton source={source} onAdded={put} />
        </Group>
      )}
      {failed && (
        <Alert color="red" variant="light" role="alert">
          {t('form.notAdded')}
        </Alert>
      )}
      {rules.length === 0 && <EmptyState title={t('rules.none')}>{t('rules.draftHint')}</EmptyState>}
      <RuleList rules={rules} canWrite={canWrite} onLine={onLine} onEdit={setEdited} />
      <FormModal
        opened={edited !== undefined}
        unsaved={isDirty}
        onClose={close}
        size="lg"
        title={edited === 'new' ? t('form.add') : t('form.title')}
      >
        {edited !== undefined && (
          <RuleForm
            initial={(edited === 'new' ? undefined : edited.fields) ?? NEW_RULE}
            taken={rules.map(({ id }) => id).filter((id) => edited === 'new' || id !== edited.id)}
            onDirty={setDirty}
            onSave={save}
          />
        )}
      </FormModal>
    </Stack>
  )
}

interface RuleListProps extends Pick<RulesPanelProps, 'onLine'> {
  readonly rules: readonly RuleInText[]
  readonly canWrite: boolean
  readonly onEdit: (rule: RuleInText) => void
}

function RuleList({ rules, canWrite, onLine, onEdit }: RuleListProps) {
  const { t } = useTranslation('policies')
  return (
    <List
      listStyleType="none"
      spacing="xs"
      aria-label={t('tabs.rules')}
      styles={{ itemWrapper: { display: 'flex' }, itemLabel: { width: '100%' } }}
    >
      {rules.map((rule) => (
        <List.Item key={`${rule.id} ${rule.from}`}>
          <Group gap="xs" wrap="nowrap">
            <Anchor
              component="button"
              type="button"
              size="sm"
              ta="start"
              onClick={() => onLine(rule.line)}
              style={{ overflowWrap: 'anywhere' }}
            >
              {rule.id}
            </Anchor>
            <Box ml="auto">
              <RuleVerdict {...rule} />
            </Box>
            {canWrite &&
              (rule.fields ? (
                <Button
                  size="compact-xs"
                  variant="default"
                  miw={74}
                  aria-label={t('form.editRule', { id: rule.id })}
                  onClick={() => onEdit(rule)}
                >
                  {t('form.edit')}
                </Button>
              ) : (
                <Button
                  size="compact-xs"
                  variant="default"
                  miw={74}
                  aria-label={t('form.editYamlOf', { id: rule.id })}
                  onClick={() => onLine(rule.line)}
                >
                  {t('form.editYaml')}
                </Button>
              ))}
          </Group>
        </List.Item>
      ))}
    </List>
  )
}
