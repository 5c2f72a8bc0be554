// cmgit for DeepSeek Harness: a plugin of its own, because the bridges for other clients' hooks can neither shorten a
// read nor say that a file was seen. No imports but Node's: the services come with the context.
//
// agent/pre-step      the prompt goes to `cm-hook dsh`, its text enters the step beside the prompt
// fs/observed         a file of which source was shown counts as read: it can be edited at once
// tools/post-execute  the first read of a file that was shown whole and is the same comes back as a reference
// cm_retrieve_context the same question asked by the model itself
//
// Whatever fails, the harness goes on as if the plugin were not there.

import { spawn } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { dirname, isAbsolute, join, resolve } from 'node:path'

export const name = 'cmgit'

// There is no list of services to inject: a composition without tools or files still gets its context.

const HOOK_MS = 5_000
const TOOL_MS = 60_000
const LONGEST_ANSWER = 1 << 20

/**
 * @param ctx the plugin's context
 * @param config hook: the path of `cm-hook`; tool: the path of `git-cm`, or false for no on-demand tool
 */
export function apply(ctx, config = {}) {
  const hook = config.hook ?? 'cm-hook'
  const tool = config.tool ?? (isAbsolute(hook) ? join(dirname(hook), 'git-cm') : 'git-cm')
  /** Of each session: what was shown whole (absolute path -> object id), and whether it was compacted since. */
  const sessions = new WeakMap()

  const memory = session => {
    let known = sessions.get(session)
    if (known === undefined) sessions.set(session, known = { whole: new Map(), compacted: false })
    return known
  }

  const ask = (agent, event, signal) => run(hook, ['dsh'], JSON.stringify({
    ...event, session: String(agent.session.header.id), cwd: agent.session.header.cwd ?? process.cwd(),
  }), agent.session.header.cwd, HOOK_MS, signal).then(text => text === '' ? undefined : JSON.parse(text))

  ctx.on('agent/pre-step', async ({ agent, messages, signal }, next) => {
    const decision = await next()
    if (decision.kind !== 'enter') return decision
    const known = memory(agent.session)
    const prompts = messages.filter(message => message.source?.kind === 'user')
    const prompt = prompts.flatMap(message => message.content).map(block => block.text ?? '').join('\n').trim()
    if (prompt === '' && !known.compacted) return decision
    const event = { event: known.compacted ? 'compact' : 'prompt', prompt, turn: String(prompts[0]?.id ?? '') }
    try {
      if (known.compacted) known.whole.clear()
      known.compacted = false
      const answer = await ask(agent, event, signal)
      if (typeof answer?.text !== 'string' || answer.text === '') return decision
      await observe(agent, known, answer.files ?? [], signal)
      return { ...decision, messages: [...decision.messages, message(answer.text)] }
    } catch (error) {
      ctx.logger?.debug?.(`cmgit: ${String(error)}`)
      return decision
    }
  })

  ctx.on('session/event', (session, event) => {
    if (event.type === 'compaction/summary') memory(session).compacted = true
  })

  ctx.on('tools/post-execute', async (exec, result, next) => {
    const decision = await next()
    const { agent } = exec
    const value = result.value
    if (exec.name !== 'read' || result.isError || agent === undefined || decision.kind !== 'accept') return decision
    if (decision.content !== undefined || decision.value !== undefined) return decision
    if (typeof value?.path !== 'string' || value.offset !== 1 || value.lines?.length !== value.totalLines) return decision
    try {
      const path = resolve(agent.session.header.cwd ?? process.cwd(), value.path)
      if (!memory(agent.session).whole.delete(path)) return decision
      const answer = await ask(agent, { event: 'read_done', path }, exec.signal)
      if (typeof answer?.text !== 'string' || answer.text === '') return decision
      return { ...decision, content: [{ type: 'text', text: answer.text }] }
    } catch (error) {
      ctx.logger?.debug?.(`cmgit: ${String(error)}`)
      return decision
    }
  })

  /** Tell the file system's policy of files whose bytes the context was made of; others have to be read first. */
  async function observe(agent, known, files, signal) {
    const fs = ctx.get('fs')
    for (const { path, oid, whole } of files) {
      if (whole) known.whole.set(path, oid)
      if (fs === undefined) continue
      try {
        const target = await fs.resolve(path, { cwd: agent.session.header.cwd, signal })
        const info = await fs.stat(target, signal)
        // After the version was taken: a later change makes the guarded edit fail, an earlier one shows in the hash.
        if (info?.type !== 'file' || await blobId(path, oid.length) !== oid) continue
        ctx.emit('fs/observed', target, { kind: 'present', version: info.version }, { agent })
      } catch (error) {
        ctx.logger?.debug?.(`cmgit: ${path}: ${String(error)}`)
      }
    }
  }

  // Once there are tools: plugins start at the same time.
  if (tool !== false) ctx.inject(['tools'], inner => { inner.tools.register(onDemand(tool)) })
}

/** The tool that the model may ask by itself. */
function onDemand(program) {
  return {
    name: 'cm_retrieve_context',
    description: 'The source of this repository\'s JavaScript and TypeScript that a task is about: whole functions, '
      + 'what they depend on, who calls them. Ask with the task in words, or with names.',
    parameters: {
      type: 'object',
      additionalProperties: false,
      properties: { prompt: { type: 'string', description: 'The task, or names of functions, types or files.' } },
      required: ['prompt'],
    },
    output: {
      schema: {
        type: 'object',
        additionalProperties: false,
        properties: { text: { type: 'string' } },
        required: ['text'],
      },
      render: (_args, value) => [{ type: 'text', text: value.text }],
    },
    timeoutMs: TOOL_MS,
    isConcurrencySafe: () => true,
    async execute(args, exec) {
      if (typeof args?.prompt !== 'string' || args.prompt.trim() === '') throw new Error('prompt must be a text')
      const cwd = exec.agent?.session.header.cwd
      const output = await run(program, ['retrieve', '--json', '--', '-'], args.prompt, cwd, TOOL_MS, exec.signal)
      const { text } = JSON.parse(output)
      return { text: text === '' ? 'Nothing in the index matches.' : text }
    },
  }
}

/** A message in the harness's shape; what made it is said in its source. */
function message(text) {
  const content = Object.freeze([Object.freeze({ type: 'text', text })])
  return Object.freeze({ id: randomUUID(), role: 'user', content, source: Object.freeze({ kind: 'plugin', plugin: name }) })
}

/** git's object id of a file as it stands on the disk. */
async function blobId(path, digits) {
  const data = await readFile(path)
  return createHash(digits === 64 ? 'sha256' : 'sha1').update(`blob ${data.length}\0`).update(data).digest('hex')
}

/** Run a program without a shell: the text that it prints. */
function run(program, args, input, cwd, milliseconds, signal) {
  return new Promise((fulfil, reject) => {
    const child = spawn(program, args, {
      cwd, stdio: ['pipe', 'pipe', 'ignore'], timeout: milliseconds, signal, windowsHide: true,
    })
    const parts = []
    let size = 0
    child.stdout.on('data', part => {
      size += part.length
      if (size > LONGEST_ANSWER) child.kill()
      else parts.push(part)
    })
    child.stdin.on('error', () => {})
    child.on('error', reject)
    child.on('close', code => {
      if (code === 0) fulfil(Buffer.concat(parts).toString('utf8').trim())
      else reject(new Error(`${program} ended with ${String(code)}`))
    })
    child.stdin.end(input)
  })
}
