// cmgit for OpenCode: written by `git cm install opencode`, taken away by `git cm uninstall opencode`.
//
// chat.message         the prompt goes to `cm-hook opencode`, its text becomes one more part of the message
// tool.execute.after   the first read of a file that was shown whole and is the same comes back as a reference
//
// OpenCode's own read has noted the file by then, so that an edit after it works. Whatever fails, OpenCode goes on as if
// the plugin were not there.

import { spawn } from "node:child_process"
import { isAbsolute, resolve } from "node:path"

const HOOK = "cm-hook"
const HOOK_MS = 5_000
const LONGEST_ANSWER = 1 << 20

export const CmgitPlugin = async ({ directory }) => {
  /** Of each session: absolute paths of what was shown whole. */
  const shown = new Map()
  const compacted = new Set()

  const ask = async (session, event) => {
    const answer = await run(JSON.stringify({ ...event, session, cwd: directory }), directory)
    return answer === "" ? undefined : JSON.parse(answer)
  }

  return {
    "chat.message": async (input, output) => {
      const prompt = output.parts.filter(part => part.type === "text" && !part.synthetic).map(part => part.text).join("\n")
      if (prompt.trim() === "") return
      const session = input.sessionID
      const event = compacted.delete(session) ? "compact" : "prompt"
      if (event === "compact") shown.delete(session)
      try {
        const answer = await ask(session, { event, prompt, turn: output.message.id })
        if (typeof answer?.text !== "string" || answer.text === "") return
        const whole = shown.get(session) ?? new Set()
        for (const file of answer.files ?? []) if (file.whole) whole.add(file.path)
        shown.set(session, whole)
        output.parts.push({
          id: `${output.parts.at(-1).id}cmgit`, // parts are sorted by it: after the prompt
          sessionID: output.message.sessionID, messageID: output.message.id,
          type: "text", text: answer.text, synthetic: true,
        })
      } catch {
        // Nothing of it is the conversation's business.
      }
    },

    "tool.execute.after": async (input, output) => {
      const path = input.args?.filePath
      if (input.tool !== "read" || typeof path !== "string" || input.args.offset || input.args.limit) return
      if (output.metadata?.truncated === true) return
      const absolute = isAbsolute(path) ? path : resolve(directory, path)
      if (!shown.get(input.sessionID)?.delete(absolute)) return
      try {
        const answer = await ask(input.sessionID, { event: "read_done", path: absolute })
        if (typeof answer?.text === "string" && answer.text !== "") output.output = answer.text
      } catch {
        // As above.
      }
    },

    event: async ({ event }) => {
      if (event.type === "session.compacted") compacted.add(event.properties.sessionID)
    },
  }
}

/** Run cm-hook without a shell: what it prints. */
function run(input, cwd) {
  return new Promise((fulfil, reject) => {
    const child = spawn(HOOK, ["opencode"], { cwd, stdio: ["pipe", "pipe", "ignore"], timeout: HOOK_MS })
    const parts = []
    let size = 0
    child.stdout.on("data", part => {
      size += part.length
      if (size > LONGEST_ANSWER) child.kill()
      else parts.push(part)
    })
    child.stdin.on("error", () => {})
    child.on("error", reject)
    child.on("close", code => {
      if (code === 0) fulfil(Buffer.concat(parts).toString("utf8").trim())
      else reject(new Error(`cm-hook ended with ${code}`))
    })
    child.stdin.end(input)
  })
}
