//! [`why_unloadable`]: whether ADK can load an agent's folder of a name.

/// The modules of Python 3.10 to 3.13, and those that google-adk loads before an agent. Python imports one
/// that is loaded instead of the agent's folder, and the folder hides the others from the agent.
const MODULES: &str = "\
     abc absl agentplatform aifc aiohappyeyeballs aiohttp aiosignal annotated_doc \
     annotated_types antigravity anyio argparse array ast asynchat asyncio asyncore atexit attr \
     audioop authlib base64 bdb binascii bisect builtins bz2 calendar certifi cgi cgitb \
     charset_normalizer chunk click cloudpickle cmath cmd code codecs codeop collections \
     colorsys compileall concurrent configparser contextlib contextvars copy copyreg crypt \
     cryptography csv ctypes curses dataclasses datetime dateutil dbm decimal defusedxml \
     difflib dis distutils doctest dotenv email encodings ensurepip enum errno fastapi \
     faulthandler fcntl filecmp fileinput fnmatch fractions frozenlist ftplib functools gc \
     genericpath getopt getpass gettext glob google graphlib grp grpc grpc_status gzip hashlib \
     heapq hmac html http httpx httpx2 idlelib idna imaplib imghdr imp importlib inspect io \
     ipaddress itertools joblib joserfc json keyword lib2to3 linecache locale logging lzma \
     mailbox mailcap marshal math mcp mcp_types mimetypes mmap modulefinder msilib msvcrt \
     multidict multiprocessing narwhals netrc nis nltk nntplib nt ntpath nturl2path numbers \
     numpy opcode opentelemetry operator optparse os ossaudiodev packaging pandas pathlib pdb \
     pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint profile \
     propcache proto pstats pty pwd py_compile pyclbr pydantic pydantic_core pydoc pydoc_data \
     pyexpat pygments python_multipart queue quopri random re readline regex reprlib requests \
     resource rich rlcompleter rouge_score runpy sched scipy secrets select selectors shelve \
     shlex shutil signal site six sklearn smtpd smtplib sndhdr sniffio socket socketserver spwd \
     sqlite3 sre_compile sre_constants sre_parse sse_starlette ssl starlette stat statistics \
     string stringprep struct subprocess sunau symtable sys sysconfig syslog tabnanny tarfile \
     telnetlib tempfile tenacity termios textwrap this threading threadpoolctl time timeit \
     tkinter token tokenize tomllib trace traceback tracemalloc tty turtle turtledemo types \
     typing typing_extensions typing_inspection unicodedata unittest urllib urllib3 uu uuid \
     uvicorn venv vertexai warnings watchdog wave weakref webbrowser websockets winreg winsound \
     wsgiref xdrlib xml xmlrpc yaml yarl zipapp zipfile zipimport zlib zoneinfo";

/// Why ADK cannot load an agent from a folder of this name; `None` if it can.
///
/// ```
/// use agents::mcp::why_unloadable;
///
/// assert_eq!(why_unloadable("notes_keeper"), None);
/// assert!(why_unloadable("json").is_some());
/// assert!(why_unloadable("2nd_agent").is_some());
/// ```
#[must_use]
pub fn why_unloadable(name: &str) -> Option<&'static str> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    if name.is_empty() || !name.chars().all(is_plain) {
        return Some("it may contain only the letters a to z, digits and underscores");
    }
    if name.starts_with(|first: char| first.is_ascii_digit()) {
        return Some("it starts with a digit");
    }
    if name.starts_with("__") {
        return Some("ADK reserves names that start with two underscores");
    }
    if name == "user" {
        return Some("ADK calls the person `user`");
    }
    let is_module = MODULES.split(' ').any(|module| module == name);
    is_module.then_some("Python or google-adk has a module of that name")
}
