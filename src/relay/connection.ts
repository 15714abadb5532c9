import type { Socket } from "node:net"
import { SMTPServer } from "smtp-server"
import { SMTPConnection, type SMTPConnectionOptions } from "smtp-server/lib/smtp-connection.js"

/** RFC 5321, section 4.5.3.1.5, allows 512 bytes with the code and the end of the line. */
const MAX_REPLY_LINE = 480

const ENHANCED_STATUS = /^[245]\.\d{1,3}\.\d{1,3} /

/** Follows the RFCs where smtp-server does not. */
class RelayConnection extends SMTPConnection {
  /** RFC 5321, section 2.3.8: a CR stands before an LF only. smtp-server reads any other CR as a space. */
  override _parseAddressCommand(name: string, command: Buffer | string) {
    return command.includes("\r") ? false : super._parseAddressCommand(name, command)
  }

  override send(code: number, data?: string | string[] | null, context?: string | false): void {
    // Before TLS, AUTH is not offered: a client might send its password in the clear.
    if (Array.isArray(data)) {
      const lines = this.secure ? data : data.filter((line) => !line.startsWith("AUTH "))
      super.send(code, lines, context)
      return
    }
    const text = (data ?? "").replace(/[^ -~]/g, "?")
    const [status = ""] = ENHANCED_STATUS.exec(text) ?? []
    const lines = wrap(text.slice(status.length)).map((line) => status + line)
    super.send(
      code === 538 ? 530 : code,
      lines.length > 1 ? lines : lines[0],
      status ? false : context,
    )
  }
}

const wrap = (text: string): string[] =>
  text.match(new RegExp(`(?! ).{1,${MAX_REPLY_LINE}}(?= |$)|\\S{${MAX_REPLY_LINE}}`, "g")) ?? [""]

export class RelayServer extends SMTPServer {
  override connect(socket: Socket, options?: SMTPConnectionOptions | null): void {
    const connection = new RelayConnection(this, socket, options)
    this.connections.add(connection)
    connection.on("error", (error) => this._onError(error))
    connection.on("connect", (data) => this._onClientConnect(data))
    connection.init()
  }
}
