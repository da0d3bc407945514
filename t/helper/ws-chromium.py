#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""A page in Chromium as a client of t/stream/clients.t: as t/helper/ws-node.js. ws-chromium.py PROGRAM FOLDER;
the page is the origin of the stream unless the line has "page"."""
import json
import os
import subprocess
import sys
import time
import urllib.parse

PAGE = '''
new Promise(done => {
  const said = [];
  const ws = new WebSocket(%s, %s);
  ws.binaryType = 'arraybuffer';
  ws.onopen = () => {
    said.push('open ' + ws.protocol);
    for (const s of %s)
      ws.send(typeof s === 'number' ? new Uint8Array(s) : s);
  };
  ws.onmessage = m => said.push(typeof m.data === 'string' ? 'text ' + m.data.length : 'binary ' + m.data.byteLength);
  ws.onclose = e => { said.push('close ' + e.code); done(said.join('\\n')); };
})
'''


class Browser:
    def __init__(self, program, folder):
        read_in, write_in = os.pipe()
        read_out, write_out = os.pipe()

        def three_and_four():
            a, b = os.dup(read_in), os.dup(write_out)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [program, '--headless=new', '--remote-debugging-pipe', f'--user-data-dir={folder}', '--disable-gpu',
             '--ignore-certificate-errors', '--no-first-run', '--disable-dev-shm-usage', '--disable-background-networking',
             'about:blank'], preexec_fn=three_and_four, close_fds=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=open(f'{folder}/log', 'w'), env={**os.environ, 'HOME': folder})
        os.close(read_in)
        os.close(write_out)
        self.to, self.of, self.buffer, self.n = write_in, read_out, b'', 0

    def call(self, method, session=None, **params):
        self.n += 1
        message = {'id': self.n, 'method': method, 'params': params}
        if session:
            message['sessionId'] = session
        os.write(self.to, json.dumps(message).encode() + b'\0')
        while True:
            while b'\0' not in self.buffer:
                data = os.read(self.of, 65536)
                if not data:
                    raise EOFError('the browser has ended')
                self.buffer += data
            text, _, self.buffer = self.buffer.partition(b'\0')
            answer = json.loads(text)
            if answer.get('id') == self.n:
                if 'error' in answer:
                    raise RuntimeError(answer['error'])
                return answer['result']

    def run(self, o):
        url = urllib.parse.urlsplit(o['url'])
        page = o.get('page', f'https://{url.netloc}/viewer/')
        target = self.call('Target.createTarget', url=page)['targetId']
        session = self.call('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        end = time.monotonic() + 60
        while True:
            try:
                state = self.call('Runtime.evaluate', session, expression='document.readyState + " " + location.href')
            except RuntimeError as fault:  # between two documents there is no context
                state = {'result': {'value': str(fault)}}
            if state['result'].get('value', '') == f'complete {page}':
                break
            if time.monotonic() > end:
                raise RuntimeError(f'{page} does not come: {state}')
            time.sleep(0.02)
        text = PAGE % tuple(json.dumps(o[k]) for k in ('url', 'protocol', 'send'))
        result = self.call('Runtime.evaluate', session, expression=text, awaitPromise=True)
        print(result['result']['value'], flush=True)
        self.call('Target.closeTarget', targetId=target)


browser = Browser(*sys.argv[1:])
try:
    for line in sys.stdin:
        browser.run(json.loads(line))
finally:
    browser.process.kill()
