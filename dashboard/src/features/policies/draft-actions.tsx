import { Alert, Button, Checkbox, Modal, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../../api/api-error.ts'
import { refreshPaths, useChange } from '../../api/queries.ts'
import type { PolicySet, PolicyTestRun as Run } from '../../api/schema.d.ts'
import { useNavigateTo } from '../../routing/location.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { notifySuccess } from '../../ui/notify.ts'
import { PublicationForm } from './publication-form.tsx'
import { baseOf } from './use-base-version.ts'
import type { DraftState } from './use-draft.ts'
import { useDraftChanges } from './use-draft-changes.ts'

interface DraftActionsProps {
  readonly draft: DraftState
  readonly active: PolicySet | undefined
}

/** Deletes or publishes a draft. */
export function DraftActions({ draft, active }: DraftActionsProps) {
  const { t } = useTranslation('policies')
  const navigateTo = useNavigateTo()
  const remove = useChange('delete', '/admin/v1/policy-drafts/{id}', {
    expire: ['/admin/v1/policy-drafts'],
    onDone: () => {
      draft.saver.forget()
      navigateTo('/policies')
    },
  })
  if (!draft.canWrite) return null
  return (
    <>
      <ConfirmButton
        size="sm"
        question={t('draft.deleteQuestion')}
        consequence={t('draft.deleteConsequence')}
        onConfirm={() => remove.mutateAsync({ params: { path: { id: draft.id } } })}
      >
        {t('draft.delete')}
      </ConfirmButton>
      <PublishButton draft={draft} active={active} />
    </>
  )
}

function PublishButton({ draft, active }: DraftActionsProps) {
  const { t } = useTranslation('policies')
  const [opened, { open, close }] = useDisclosure()
  const isStale = draft.saved.base_version !== baseOf(active)
  const canPublish = draft.check?.ok === true && !isStale && draft.status !== 'changed' && draft.status !== 'deleted'
  return (
    <>
      <Button disabled={!canPublish} onClick={open}>
        {t('publish.action')}
      </Button>
      <Modal opened={opened} onClose={close} size="lg" title={t('publish.question')}>
        {opened && <Publish draft={draft} active={active} onClose={close} />}
      </Modal>
    </>
  )
}

/** The tests that refused a publication. */
const runIn = (error: unknown): Run | undefined =>
  error instanceof ApiError && error.details.reason === 'tests_failed' ? (error.details.run as Run) : undefined

/** Publishes the stored draft, once. `onClose`: the page shows the changes since then. */
function usePublication(draft: DraftState, onClose: () => void) {
  const { t } = useTranslation('policies')
  const navigateTo = useNavigateTo()
  const queries = useQueryClient()
  const isRunning = useRef(false)
  const publish = useChange('post', '/admin/v1/policy-sets', {
    refresh: ['/admin/v1/policy-sets'],
    expire: ['/admin/v1/policy-drafts'],
    onDone: ({ id, name, version, warnings }) => {
      draft.saver.forget()
      notifySuccess([t('publish.done', { name, version }), ...warnings].join(' '))
      navigateTo(`/policies/${id}`)
    },
  })
  const closeIfSuperseded = async (error: unknown) => {
    if (!(error instanceof ApiError) || error.details.reason !== 'base_version_superseded') return
    await refreshPaths(queries, ['/admin/v1/policy-sets'])
    onClose()
  }
  const send = async (note: string, override: boolean) => {
    if (isRunning.current) return
    isRunning.current = true
    const { base_version } = draft.saved
    const query = { base_version, draft: draft.id, require_tests: override ? 'false' : 'true' } as const
    await draft.saver.flush()
    // Another operator has changed the draft: merging comes first.
    if (draft.saver.state().other) onClose()
    else await publish.mutateAsync({ params: { query }, body: { source: draft.source, note } }).catch(closeIfSuperseded)
    isRunning.current = false
  }
  return { ...publish, send }
}

interface PublishProps extends DraftActionsProps {
  readonly onClose: () => void
}

function Publish({ draft, active, onClose }: PublishProps) {
  const { t } = useTranslation('policies')
  const [override, setOverride] = useState(false)
  const publish = usePublication(draft, onClose)
  const changes = useDraftChanges(draft.source, active)
  const failed = runIn(publish.error)
  return (
    <PublicationForm
      consequence={t('publish.consequence')}
      changes={changes.data}
      changesError={changes.error}
      initialNote={draft.saved.note}
      action={t('publish.action')}
      pending={publish.isPending}
      disabled={failed !== undefined && !override}
      onCancel={onClose}
      onPublish={(note) => void publish.send(note, override)}
    >
      {failed ? (
        <FailedTests run={failed} override={override} onOverride={setOverride} />
      ) : (
        publish.error && <ErrorState title={t('publish.failed')} error={publish.error} />
      )}
    </PublicationForm>
  )
}

interface FailedTestsProps {
  readonly run: Run
  readonly override: boolean
  readonly onOverride: (override: boolean) => void
}

function FailedTests({ run, override, onOverride }: FailedTestsProps) {
  const { t } = useTranslation('policies')
  const failed = run.results.filter(({ ok }) => !ok)
  return (
    <>
      <Alert
        color="red"
        variant="light"
        role="alert"
        title={t('publish.testsFailed', { failed: failed.length, total: run.results.length })}
      >
        {failed.slice(0, 5).map(({ id, name, failures }) => (
          <Text key={`${id} ${name}`} size="sm">
            {t('publish.failure', { name, failures: failures.join('; ') })}
          </Text>
        ))}
        {run.missing.length > 0 && <Text size="sm">{t('tests.missing', { files: run.missing.join(', ') })}</Text>}
      </Alert>
      <Checkbox
        label={t('publish.override')}
        checked={override}
        onChange={({ currentTarget }) => onOverride(currentTarget.checked)}
      />
    </>
  )
}
